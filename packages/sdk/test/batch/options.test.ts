/** verify, timing, headroom, forced engines and varied packets. */
import { describe, expect, test } from 'vitest';
import { runMany, XdpObject } from 'xdptest';
import { eth, ipv4, packet, random, range, udp, vary } from 'xdptest/packet';
import { randomPackets } from '../support/random.ts';
import { bpfObject, expectSameAnswers } from './support.ts';

const packets = randomPackets(3, 4_000, 14, 300);

describe('verify', () => {
  test('finds nothing in a program that depends on the packet alone', async () => {
    using object = XdpObject.load(bpfObject('mutator'));
    await expect(runMany(object.program('mutator'), packets, { verify: 0.25 })).resolves.toHaveLength(4_000);
  });

  test('throws when a packet run again gives another answer', async () => {
    using object = XdpObject.load(bpfObject('mutator'));
    const run = runMany(object.program('counter'), packets, { verify: 0.01, workers: 1 });
    await expect(run).rejects.toMatchObject({
      code: 'XDP_VERIFY_MISMATCH',
      message: expect.stringMatching(/packet 0 run again by a single call: verdict/) as string,
    });
  });
});

test('timing gives a time for each packet, with the clock as the stated baseline', async () => {
  using object = XdpObject.load(bpfObject('mutator'));
  const { timing } = await runMany(object.program('mutator'), packets, { timing: true });
  expect(timing).toBeDefined();
  const { ns, baselineNs, minNs, p50Ns, p99Ns, maxNs, meanNs } = timing!;
  expect(ns).toHaveLength(packets.length);
  expect(baselineNs).toBeGreaterThan(0);
  expect(minNs).toBe(ns.reduce((a, b) => Math.min(a, b)));
  expect(maxNs).toBe(ns.reduce((a, b) => Math.max(a, b)));
  expect(meanNs).toBeCloseTo(ns.reduce((a, b) => a + b, 0) / ns.length, 6);
  expect(p50Ns).toBeLessThanOrEqual(p99Ns);
  const sorted = [...ns].sort((a, b) => a - b);
  // The histogram keeps three significant digits.
  expect(p50Ns).toBeGreaterThanOrEqual(sorted[Math.floor(sorted.length * 0.49)]! * 0.99);
  expect(p50Ns).toBeLessThanOrEqual(Math.max(1, sorted[Math.ceil(sorted.length * 0.51)]! * 1.01));
});

test('without timing there are no times', async () => {
  using object = XdpObject.load(bpfObject('actions'));
  expect((await runMany(object.program('pass'), packets)).timing).toBeUndefined();
});

test('a stale headroom shows what the packet before has written, a zeroed one does not', async () => {
  using object = XdpObject.load(bpfObject('headroom'));
  const two = [new Uint8Array(64), new Uint8Array(64)];
  const options = { engine: 'batch', workers: 1 } as const;
  const zeroed = await runMany(object.program('find_headroom'), two, options);
  expect([...zeroed.verdicts]).toEqual([0, 0]);
  const stale = await runMany(object.program('find_headroom'), two, { ...options, headroom: 'stale' });
  expect([...stale.verdicts]).toEqual([0, 0xee]);
});

test('forcing the batch engine on what it cannot run says why', async () => {
  using object = XdpObject.load(bpfObject('actions'));
  const run = runMany(object.program('pass'), packets, { engine: 'syscall', timing: true });
  await expect(run).rejects.toMatchObject({ code: 'XDP_INVALID_ARGUMENT' });
});

test('the plan says which engine ran, and why', async () => {
  using object = XdpObject.load(bpfObject('actions'));
  const automatic = await runMany(object.program('pass'), packets);
  expect(automatic.plan).toMatchObject({ engine: 'batch', workers: 1 });
  expect(automatic.plan.reason).toMatch(/^batch engine: one call for each \d+ distinct packets/);
  const forced = await runMany(object.program('pass'), packets, { engine: 'syscall' });
  expect(forced.plan.reason).toMatch(/^syscall engine \(as asked\)/);
});

test('varied packets are made by the threads that run them, and are the same as in a batch', async () => {
  using object = XdpObject.load(bpfObject('mutator'));
  const template = packet(eth(), ipv4({ dst: '192.0.2.1' }), udp({ dport: 443 }));
  const flows = vary(
    template,
    { 'ipv4.src': range('10.0.0.0/12'), 'udp.sport': random({ seed: 5 }) },
    70_000,
  );
  const made = await runMany(object.program('mutator'), flows, { engine: 'batch', workers: 3 });
  const batch = await runMany(object.program('mutator'), flows.toBatch(), { engine: 'syscall', workers: 1 });
  expectSameAnswers({ single: batch, batch: made });
});

test('countBy a field gives what dissecting each packet gives', async () => {
  using object = XdpObject.load(bpfObject('actions'));
  const ipv4Flows = vary(
    packet(eth(), ipv4({ dst: '192.0.2.1' }), udp({ dport: 443 })),
    { 'ipv4.src': range('10.0.0.0/28') },
    1_000,
  );
  const mixed = [
    ...ipv4Flows,
    new Uint8Array(64),
    packet(eth(), ipv4({ src: '10.0.0.3', options: [{ type: 'nop' }] }), udp()),
  ];
  const results = await runMany(object.program('pass'), mixed);
  for (const field of ['ipv4.src', 'udp.dport', 'eth.type', 'ipv4.ttl'] as const) {
    expect(results.countBy(field)).toEqual(results.countBy((r) => r.get(field)));
  }
  expect(results.countBy('ipv4.src').size).toBe(16);
});

test('closed results give their memory to the next run, and are themselves closed', async () => {
  using object = XdpObject.load(bpfObject('actions'));
  const first = await runMany(object.program('by_content'), packets);
  const { buffer } = first.bytes!;
  first.close();
  first.close();
  expect(() => first.verdicts).toThrow(/results were closed/);
  expect(() => first.at(0)?.packet).toThrow(expect.objectContaining({ code: 'XDP_CLOSED' }));
  // Fewer and more packets than before, in the same memory: nothing of the run before shows.
  for (const count of [1_000, 4_000]) {
    using again = await runMany(object.program('by_content'), packets.slice(0, count));
    expect(again.bytes!.buffer).toBe(buffer);
    const single = await runMany(object.program('by_content'), packets.slice(0, count), {
      engine: 'syscall',
    });
    expectSameAnswers({ single, batch: again });
  }
});
