/** Node's own sockets in a namespace. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NetworkNamespace, Recorder } from 'xdptest/live';
import { dissect, readCaptureSync } from 'xdptest/packet';

let a: NetworkNamespace;
let b: NetworkNamespace;
beforeEach(() => {
  a = new NetworkNamespace('a');
  b = new NetworkNamespace('b');
  const [here, there] = a.addVeth('veth0', { namespace: b, name: 'veth1' });
  here.addAddress('10.0.0.1/24');
  there.addAddress('10.0.0.2/24');
});
afterEach(() => {
  a.close();
  b.close();
});

describe('sockets of a namespace', () => {
  test('TCP connects between namespaces, and the addresses are theirs', async () => {
    const server = await b.listenTcp({ port: 80 }, (socket) => socket.end(String(socket.remoteAddress)));
    expect(server.address()).toMatchObject({ port: 80 });
    const connection = await a.connectTcp({ host: '10.0.0.2', port: 80 });
    expect(connection).toMatchObject({ localAddress: '10.0.0.1', remoteAddress: '10.0.0.2' });
    expect(String((await once(connection, 'data'))[0])).toBe('10.0.0.1');
  });

  test('UDP goes both ways', async () => {
    const server = await b.bindUdp({ host: '10.0.0.2', port: 53 });
    server.on('message', (message, from) => server.send(`${message}!`, from.port, from.address));
    const client = await a.bindUdp({ host: '10.0.0.1', port: 1053 });
    client.send('hello', 53, '10.0.0.2');
    expect(String((await once(client, 'message'))[0])).toBe('hello!');
  });

  test('nobody else sees the port', async () => {
    await b.listenTcp({ port: 80 });
    await a.listenTcp({ port: 80 });
    await expect(b.listenTcp({ port: 80 })).rejects.toMatchObject({
      code: 'XDP_SYSCALL_FAILED',
      message: expect.stringContaining('EADDRINUSE'),
    });
  });

  test('a refused connection and one that nobody answers say which it was', async () => {
    await expect(a.connectTcp({ host: '10.0.0.2', port: 81 })).rejects.toThrow(/ECONNREFUSED/);
    a.interface('veth0').addNeighbour('10.0.0.3', '02:00:00:00:00:03');
    await expect(a.connectTcp({ host: '10.0.0.3', port: 80, timeoutMs: 50 })).rejects.toThrow(/ETIMEDOUT/);
  });

  test('they end with their namespace', async () => {
    await b.listenTcp({ port: 80 });
    const connection = await a.connectTcp({ host: '10.0.0.2', port: 80 });
    const closed = once(connection, 'close');
    a.close();
    await closed;
  });
});

describe('a recorder', () => {
  test('writes all frames of all interfaces when the work fails, and nothing when it does not', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'xdptest-recorder-'));
    const path = join(directory, 'deep', 'frames.pcapng');
    try {
      using recorder = new Recorder([a.interface('veth0'), b.interface('veth1')]);
      await recorder.guard(path, () => 'fine');
      expect(() => readFileSync(path)).toThrow(/ENOENT/);
      const failing = recorder.guard(path, async () => {
        const server = await b.bindUdp({ host: '10.0.0.2', port: 53 });
        const client = await a.bindUdp({ host: '10.0.0.1', port: 1053 });
        const heard = once(server, 'message');
        client.send('hello', 53, '10.0.0.2');
        await heard;
        await expect.poll(() => recorder.frames).toBeGreaterThanOrEqual(6);
        throw new Error('this was to be');
      });
      await expect(failing).rejects.toThrow(`this was to be\n\n  all frames: ${path}`);
      const capture = readCaptureSync(readFileSync(path));
      const records = [...capture];
      // Who has it, it is there, and the packet: each once on each interface.
      expect(records.map((record) => String(dissect(record.bytes).get('udp')?.dport)).sort()).toEqual([
        '53',
        '53',
        'undefined',
        'undefined',
        'undefined',
        'undefined',
      ]);
      expect(capture.interfaces.map((one) => one.name)).toEqual(['a/veth0', 'b/veth1']);
      const times = records.map((record) => record.timestampNs!);
      expect(times).toEqual([...times].sort((x, y) => Number(x - y)));
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
