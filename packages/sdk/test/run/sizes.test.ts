/** Sizes of packets: what the kernel accepts and what a program sees, probed and never assumed. */
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { benchXdp, probeKernel, runMany, runXdp } from 'xdptest';
import { rejectionOf, thrownBy } from '../support/errors.ts';
import { missing } from '../support/missing.ts';
import { action, load } from '../support/objects.ts';

const { limits } = probeKernel();
const pageSize = Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }));

describe('the limits that were probed', () => {
  test('the longest linear packet is a page less headroom and tailroom', () => {
    // XDP_PACKET_HEADROOM, and SKB_DATA_ALIGN(sizeof(struct skb_shared_info)): net/bpf/test_run.c
    expect(limits.maxLinearBytes).toBe(pageSize - 256 - 320);
  });

  test('the longest packet in fragments adds MAX_SKB_FRAGS pages', ({ skip }) => {
    skip(missing.frags !== undefined, missing.frags);
    expect(limits.maxPacketBytes).toBe(limits.maxLinearBytes + 17 * pageSize);
  });
});

describe('a packet that is too short', () => {
  test('runs at the probed minimum', () => {
    expect(runXdp(action('seen'), new Uint8Array(limits.minPacketBytes)).verdict).toBe(limits.minPacketBytes);
  });

  test.each([0, limits.minPacketBytes - 1])('of %i bytes is refused with both numbers', (size) => {
    const error = thrownBy(() => runXdp(action('pass'), new Uint8Array(size)));
    expect(error.code).toBe('XDP_PACKET_TOO_SHORT');
    expect(error.message).toContain(`${size} bytes`);
    expect(error.message).toContain(`fewer than ${limits.minPacketBytes}`);
    expect(error.syscall).toBeUndefined();
  });

  test('for an Ethernet header runs in its place among others if the kernel takes it, else is refused', async () => {
    const sizes = [64, limits.minPacketBytes, 14, 13, 64];
    const packets = sizes.map((size) => new Uint8Array(size));
    if (limits.minPacketBytes > 13) {
      const error = await rejectionOf(runMany(action('seen'), packets));
      expect([error.code, error.message]).toEqual([
        'XDP_PACKET_TOO_SHORT',
        expect.stringContaining('packet 3'),
      ]);
      return;
    }
    const results = await runMany(action('seen'), packets);
    expect([...results.verdicts]).toEqual(sizes);
    expect([...results].map(({ packet }) => packet!.length)).toEqual(sizes);
    expect(runXdp(action('seen'), new Uint8Array(3)).verdict).toBe(3);
    const bench = benchXdp(action('seen'), new Uint8Array(3), { engine: 'batch' });
    expect((await rejectionOf(bench)).code).toBe('XDP_ENGINE_UNAVAILABLE');
  });

  test('among many is named by its index, before any packet runs', async () => {
    const program = action('count');
    const packets = [new Uint8Array(64), new Uint8Array(64), new Uint8Array(limits.minPacketBytes - 1)];
    const error = await rejectionOf(runMany(program, packets));
    expect(error.code).toBe('XDP_PACKET_TOO_SHORT');
    expect(error.message).toContain('packet 2');
  });
});

describe('a packet that is too long', () => {
  test('is seen whole up to the linear limit by a program without frags', () => {
    const { verdict, packet } = runXdp(action('seen'), new Uint8Array(limits.maxLinearBytes));
    expect(verdict).toBe(limits.maxLinearBytes);
    expect(packet).toHaveLength(limits.maxLinearBytes);
  });

  test('is refused for a program without frags, which would silently see its first part only', () => {
    const size = limits.maxLinearBytes + 1;
    const error = thrownBy(() => runXdp(action('seen'), new Uint8Array(size)));
    expect(error.code).toBe('XDP_PACKET_TOO_LONG');
    expect(error.message).toContain(`${size} bytes`);
    expect(error.message).toContain(`at most ${limits.maxLinearBytes}`);
    if (limits.frags) expect(error.message).toContain('xdp.frags');
  });

  test('among many is refused too', async () => {
    const error = await rejectionOf(
      runMany(action('seen'), [new Uint8Array(64), new Uint8Array(limits.maxLinearBytes + 1)]),
    );
    expect(error.code).toBe('XDP_PACKET_TOO_LONG');
    expect(error.message).toContain('packet 1');
  });

  test('runs in fragments through a program with frags, and comes back whole', ({ skip }) => {
    skip(missing.frags !== undefined, missing.frags);
    const bytes = Uint8Array.from({ length: limits.maxPacketBytes }, (_, i) => i % 251);
    const { verdict, packet } = runXdp(load('frags').program('seen_frags'), bytes);
    expect(verdict).toBe(limits.maxLinearBytes);
    expect(Buffer.compare(packet, bytes)).toBe(0);
  });

  test('is refused above the limit of fragments', ({ skip }) => {
    skip(missing.frags !== undefined, missing.frags);
    const error = thrownBy(() =>
      runXdp(load('frags').program('seen_frags'), new Uint8Array(limits.maxPacketBytes + 1)),
    );
    expect(error.code).toBe('XDP_PACKET_TOO_LONG');
    expect(error.message).toContain(`at most ${limits.maxPacketBytes}`);
  });

  test('in fragments comes back whole from a run of many', async ({ skip }) => {
    skip(missing.frags !== undefined, missing.frags);
    const sizes = [9000, 64, limits.maxPacketBytes, 3520, 3521];
    const packets = sizes.map((size) => Uint8Array.from({ length: size }, (_, i) => (i * size) % 253));
    const results = await runMany(load('frags').program('seen_frags'), packets);
    for (const [i, packet] of packets.entries()) {
      expect(Buffer.compare(results.at(i)!.packet!, packet)).toBe(0);
    }
  });
});
