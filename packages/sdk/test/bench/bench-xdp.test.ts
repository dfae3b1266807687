/** benchXdp: the packet is right for every run, the right engine is chosen, and what is printed is Go's format. */
import { describe, expect, test } from 'vitest';
import { benchXdp, runXdp, XdpObject } from 'xdptest';
import { bpfObject } from '../batch/support.ts';
import { rounds } from '../support/emulation.ts';
import { missing } from '../support/missing.ts';

const packet = new Uint8Array(64);
// Under emulation the first run alone may take 5 ms.
const brief = { count: 3, minTimeMs: rounds(5, 200) } as const;

describe('benchXdp', () => {
  test('repeats in the kernel what leaves the packet alone', async () => {
    using object = XdpObject.load(bpfObject('actions'));
    const result = await benchXdp(object.program('count'), packet, brief);
    expect(result).toMatchObject({ name: 'count', engine: 'syscall', changesPacket: false, warnings: [] });
    expect(result.ns).toHaveLength(3);
    expect(result.minNs).toBeLessThanOrEqual(result.nsPerOp);
    expect(result.nsPerOp).toBeLessThanOrEqual(result.maxNs);
    // Every run happened: the three measurements, the ones before that, and the first of all.
    expect(object.variables.runs).toBeGreaterThan(BigInt(3 * result.runs));
  });

  test('restores the packet of a program that changes it, and says so', async () => {
    using object = XdpObject.load(bpfObject('actions'));
    const { prepend } = object.programs;
    // On its own output this program fails from the eleventh run on, and so would measure something else.
    const result = await benchXdp(prepend!, packet, brief);
    expect(result).toMatchObject({ engine: 'batch', changesPacket: true });
    expect(result.warnings[0]).toMatch(/changes the packet: it is restored for every run/);
    expect(result.overheadNs).toBeGreaterThan(0);
    expect(result.runs).toBeGreaterThan(1000);
  });

  test('every run of a changing program sees the packet as it was given', async () => {
    using object = XdpObject.load(bpfObject('bench'));
    await benchXdp(object.program('expects_fresh'), packet, brief);
    expect(object.variables.fresh).toBeGreaterThan(10_000n);
    expect(object.variables.stale).toBe(0n);
  });

  test('without the batch engine it makes single calls, and warns', async () => {
    using object = XdpObject.load(bpfObject('bench'));
    const result = await benchXdp(object.program('expects_fresh'), packet, { ...brief, engine: 'syscall' });
    expect(result.engine).toBe('syscall');
    expect(result.warnings[0]).toMatch(/every run is a system call of its own/);
    expect(object.variables.stale).toBe(0n);
  });

  test('prints a line for each measurement that benchstat reads', async () => {
    using object = XdpObject.load(bpfObject('actions'));
    const result = await benchXdp(object.program('pass'), packet, { ...brief, name: 'udp 64 bytes' });
    const lines = result.toString().split('\n');
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      expect(line).toMatch(/^BenchmarkUdp_64_bytes-\d+\t +\d+\t +[\d.]+ ns\/op\t +[\d.]+ empty-ns\/op$/);
    }
  });

  test.each([
    [{ count: 0 }, /count must be a whole number/],
    [{ minTimeMs: 1.5 }, /minTimeMs must be a whole number/],
    [{ name: ' ' }, /name must be a string/],
    [{ engine: 'fast' }, /engine must be/],
    [{ rounds: 3 }, /no option "rounds"/],
    [{ context: { rxQueue: 1 } }, /rxQueue needs context.ingressIfindex/],
  ])('refuses %o', async (options, message) => {
    using object = XdpObject.load(bpfObject('actions'));
    const run = benchXdp(object.program('pass'), packet, options as never);
    await expect(run).rejects.toMatchObject({
      code: 'XDP_INVALID_ARGUMENT',
      message: expect.stringMatching(message) as string,
    });
  });

  test('a packet too long for the driver cannot be forced into it', async ({ skip }) => {
    skip(missing.frags !== undefined, missing.frags);
    using object = XdpObject.load(bpfObject('frags'));
    const run = benchXdp(object.program('seen_frags'), new Uint8Array(9000), { ...brief, engine: 'batch' });
    await expect(run).rejects.toMatchObject({ code: 'XDP_ENGINE_UNAVAILABLE' });
  });

  test('leaves the program as it was', async () => {
    using object = XdpObject.load(bpfObject('actions'));
    await benchXdp(object.program('prepend'), packet, brief);
    expect(runXdp(object.program('prepend'), packet).packet).toHaveLength(84);
  });
});
