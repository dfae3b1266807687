/** Real TCP connections through the example balancer: kernel sockets, real interfaces, direct server return. */
import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { XdpObject } from 'xdptest';
import { BalancerTopology, Recorder } from 'xdptest/live';
import { type Backend, loadBalancer, setBackends, VIP } from '../load-balancer/balancer.ts';

const SERVERS = 3;
let topology: BalancerTopology;
let lb: XdpObject;
const servers: Server[] = [];

/** Sends a line, and gives the line that comes back; the connection stays open. */
async function ask(connection: Socket, question: string): Promise<string> {
  connection.write(`${question}\n`);
  let answer = '';
  while (!answer.endsWith('\n')) answer += String((await once(connection, 'data'))[0]);
  return answer.trimEnd();
}

beforeAll(async () => {
  topology = new BalancerTopology({ servers: SERVERS, vips: [VIP.v4, VIP.v6] });
  lb = loadBalancer();
  const backends = topology.servers.map(
    (server): Backend => ({ addr4: server.address, addr6: server.address6! }),
  );
  setBackends(lb, backends);
  topology.balancer.interface.attach(lb.program('balance'));
  for (const [i, server] of topology.servers.entries()) {
    for (const host of [VIP.v4, VIP.v6]) {
      const listening = server.namespace.listenTcp({ host, port: VIP.port }, (connection) => {
        // Each line comes back with the server's number and the address that it came from.
        connection.on('data', (line) => {
          connection.write(`server ${i}, client ${connection.remoteAddress}: ${line}`);
        });
      });
      servers.push(await listening);
    }
  }
});
afterAll(() => {
  topology.close();
  lb.close();
});

describe('TCP through the balancer', () => {
  test.each([
    ['IPv4', VIP.v4, '198.51.100.2'],
    ['IPv6', VIP.v6, '2001:db8:c::2'],
  ])('a connection over %s stays with one server, which sees the client itself', async (_, host, client) => {
    const connection = await topology.client.namespace.connectTcp({ host, port: VIP.port });
    const answers: string[] = [];
    for (let i = 0; i < 20; i++) answers.push(await ask(connection, `question ${i}`));
    const server = /^server (\d)/.exec(answers[0]!)?.[1];
    expect(answers).toEqual(
      Array.from({ length: 20 }, (_question, i) => `server ${server}, client ${client}: question ${i}`),
    );
    expect(topology.decapsulated()[Number(server)]).toBeGreaterThan(20);
    connection.destroy();
  });

  test('a megabyte arrives whole, in segments that fit the tunnel', async () => {
    const { namespace } = topology.client;
    const connection = await namespace.connectTcp({ host: VIP.v4, port: VIP.port });
    const sent = Buffer.alloc(1 << 20, 'abcdefghijklmnopqrstuvwxyz\n');
    const prefix = /server \d, client 198\.51\.100\.2: /g;
    let got = '';
    connection.on('data', (chunk) => {
      got += String(chunk);
    });
    connection.write(sent);
    await expect
      .poll(() => got.replaceAll(prefix, '').length, { timeout: 20_000, interval: 20 })
      .toBe(sent.length);
    expect(Buffer.from(got.replaceAll(prefix, '')).equals(sent)).toBe(true);
    connection.destroy();
  });

  test('many connections spread over all servers as the table says', async () => {
    const counts = new Array<number>(SERVERS).fill(0);
    for (let i = 0; i < 60; i++) {
      const connection = await topology.client.namespace.connectTcp({
        host: VIP.v4,
        port: VIP.port,
        from: { host: '198.51.100.2', port: 40_000 + i },
      });
      const server = Number(/^server (\d)/.exec(await ask(connection, 'who'))?.[1]);
      counts[server] = counts[server]! + 1;
      connection.destroy();
    }
    // The same 60 flows each time, so the counts are always the same; with 3 servers each gets 20 on average.
    expect(counts.reduce((sum, count) => sum + count)).toBe(60);
    expect(Math.min(...counts)).toBeGreaterThan(8);
  });

  test('answers go past the balancer: it sees the way to the servers only', async () => {
    using recorder = new Recorder(topology.interfaces());
    await recorder.guard('.xdptest/topology-answers.pcapng', async () => {
      const from = topology.client.interface.open();
      const through = topology.balancer.uplink.open({ direction: 'both' });
      const connection = await topology.client.namespace.connectTcp({ host: VIP.v4, port: VIP.port });
      await ask(connection, 'hello');
      const TCP = 6;
      const IPIP = 4;
      const answers: Uint8Array[] = [];
      const seen: Uint8Array[] = [];
      const count = (protocol: number): number => seen.filter((frame) => frame[23] === protocol).length;
      // Frames reach a capture a moment after they were on the wire, and the last acknowledgement is on its way still.
      await expect
        .poll(
          () => {
            answers.push(...from.take().batch);
            seen.push(...through.take().batch);
            return answers.length >= 2 && count(TCP) >= 3 && count(IPIP) === count(TCP);
          },
          { timeout: 20_000, interval: 20 },
        )
        // What comes back from the balancer is a tunnel packet each, and nothing has the server's source.
        .toBe(true);
      connection.destroy();
    });
  });

  test('a server that is drained keeps no new connections', async () => {
    const backends = topology.servers.map(
      (server): Backend => ({ addr4: server.address, addr6: server.address6! }),
    );
    setBackends(lb, backends, [0, 2]);
    for (let i = 0; i < 10; i++) {
      const connection = await topology.client.namespace.connectTcp({ host: VIP.v4, port: VIP.port });
      expect(await ask(connection, 'who')).toMatch(/^server 1,/);
      connection.destroy();
    }
    setBackends(lb, backends);
  });

  test('nobody answers for a port that is no VIP', async () => {
    const connecting = topology.client.namespace.connectTcp({ host: VIP.v4, port: 444, timeoutMs: 300 });
    await expect(connecting).rejects.toMatchObject({ code: 'XDP_SYSCALL_FAILED', syscall: 'connect' });
  });
});
