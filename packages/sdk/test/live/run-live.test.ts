/** Live frames: verdicts that are carried out. */
import { constants } from 'node:os';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { XdpObject } from 'xdptest';
import { type NetworkInterface, NetworkNamespace, runLive, setRedirectTarget } from 'xdptest/live';
import { missing } from '../support/missing.ts';
import { needs } from '../support/needs.ts';
import { numbered } from './support/frames.ts';
import { loadLive } from './support/programs.ts';

describe('runLive', () => {
  needs(missing.liveFrames);

  let a: NetworkNamespace;
  let b: NetworkNamespace;
  let here: NetworkInterface;
  let there: NetworkInterface;
  let programs: XdpObject;
  const frame = numbered({ src: '02:00:00:00:00:01', dst: '02:00:00:00:00:02' }, 9);

  beforeEach(() => {
    programs = loadLive();
    a = new NetworkNamespace('a');
    b = new NetworkNamespace('b');
    [here, there] = a.addVeth('veth0', { namespace: b, name: 'veth1' });
  });
  afterEach(() => {
    a.close();
    b.close();
    programs.close();
  });

  test('XDP_PASS gives every frame to the stack of the interface', async () => {
    const port = here.open();
    const { frames } = await runLive(programs.program('pass'), frame, { on: here, repeat: 1000 });
    const got = await port.captureMany({ count: 1000 });
    expect(frames).toBe(1000);
    expect(got.batch.at(-1)).toEqual(frame.bytes);
    expect(port.counters).toEqual({ captured: 1000, lost: 0 });
  });

  test('XDP_TX sends every frame out of it, and the counters have settled', async () => {
    // Room for all of them: a busy machine may send them before it empties the ring once.
    const port = there.open({ ringBytes: 64 << 20 });
    const result = await runLive(programs.program('tx'), frame, { on: here, repeat: 20_000, batchSize: 32 });
    const [sent, received] = [result.counters.get('a/veth0')!, result.counters.get('b/veth1')!];
    // A full ring of the other end drops frames: they are counted, and nothing is missing in the sum.
    expect(received.rxPackets + sent.txDropped).toBe(20_000);
    expect(received.rxPackets).toBeGreaterThan(0);
    expect(there.counters.rxPackets).toBe(received.rxPackets);
    await port.captureMany({ count: received.rxPackets });
  });

  test('XDP_REDIRECT sends to the interface of the devmap', async () => {
    const c = new NetworkNamespace('c');
    const [out, far] = a.addVeth('veth2', { namespace: c, name: 'veth3' });
    setRedirectTarget(programs.map('targets'), 0, out);
    const port = far.open();
    const { counters } = await runLive(programs.program('to_target'), frame, { on: here, repeat: 100 });
    expect(counters.get('c/veth3')?.rxPackets).toBe(100);
    expect((await port.captureMany({ count: 100 })).batch.at(0)).toEqual(frame.bytes);
    c.close();
  });

  test('XDP_DROP drops, and the program saw each frame', async () => {
    const { counters } = await runLive(programs.program('count_and_drop'), frame, {
      on: here,
      repeat: 70_000,
    });
    expect(programs.variables.seen).toBe(70_000n);
    expect(counters.get('b/veth1')?.rxPackets).toBe(0);
  });

  test.each([
    ['a short frame', { bytes: 13 }, 'XDP_PACKET_TOO_SHORT', /13 bytes.*14/],
    ['a long frame', { bytes: 3409 }, 'XDP_PACKET_TOO_LONG', /3409 bytes.*3408/],
    ['a batch that is too large', { bytes: 64, batchSize: 257 }, 'XDP_INVALID_ARGUMENT', /1 to 256/],
    ['nothing to do', { bytes: 64, repeat: 0 }, 'XDP_INVALID_ARGUMENT', /repeat/],
  ])('refuses %s before the call', async (_what, { bytes, ...options }, code, message) => {
    const run = runLive(programs.program('pass'), new Uint8Array(bytes), { on: here, ...options });
    await expect(run).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test('takes the longest frame that the kernel does', async () => {
    const port = here.open();
    // A page less what the kernel keeps in it (struct xdp_page_head), which was more on older ones.
    let longest = 3408;
    for (; longest > 3300; longest -= 8) {
      try {
        await runLive(programs.program('pass'), new Uint8Array(longest).fill(2), { on: here });
        break;
      } catch (error) {
        expect(error).toMatchObject({ syscall: 'BPF_PROG_TEST_RUN', errno: constants.errno.EINVAL });
      }
    }
    expect(longest).toBeGreaterThan(3300);
    expect((await port.capture())[0]?.originalLength).toBe(longest);
  });

  test('refuses an interface that is down', async () => {
    here.down();
    await expect(runLive(programs.program('pass'), frame, { on: here })).rejects.toThrow(/is down/);
  });
});
