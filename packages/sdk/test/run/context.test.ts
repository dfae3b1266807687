/** The context of a run: always complete, with interface, queue and metadata as a driver would give them. */
import { describe, expect, test } from 'vitest';
import { probeKernel, runMany, runXdp } from 'xdptest';
import { thrownBy } from '../support/errors.ts';
import { missing } from '../support/missing.ts';
import { needs } from '../support/needs.ts';
import { action } from '../support/objects.ts';

const { limits } = probeKernel();
const packet = new Uint8Array(64).fill(1);
/** Every network namespace has it, under this number. */
const LOOPBACK = 1;

test('a program sees the whole packet with and without a context of the caller’s', () => {
  const program = action('seen');
  expect(runXdp(program, packet).verdict).toBe(64);
  if (!limits.context) return;
  expect(runXdp(program, packet, { context: {} }).verdict).toBe(64);
  expect(runXdp(program, packet, { context: { ingressIfindex: LOOPBACK } }).verdict).toBe(64);
  expect(runXdp(program, packet, { metadata: new Uint8Array(8) }).verdict).toBe(64);
});

describe('the ingress interface', () => {
  needs(missing.context);

  test('is seen by the program and comes back', () => {
    const result = runXdp(action('seen_ifindex'), packet, { context: { ingressIfindex: LOOPBACK } });
    expect(result.verdict).toBe(LOOPBACK);
    expect(result.context).toEqual({ ingressIfindex: LOOPBACK, rxQueue: 0 });
  });

  test('is seen in a run of many', async () => {
    const results = await runMany(action('seen_ifindex'), [packet, packet], {
      context: { ingressIfindex: LOOPBACK },
    });
    expect([...results.verdicts]).toEqual([LOOPBACK, LOOPBACK]);
  });

  test('must exist: the error names its number', () => {
    const error = thrownBy(() => runXdp(action('pass'), packet, { context: { ingressIfindex: 999_999 } }));
    expect(error.code).toBe('XDP_NO_SUCH_INTERFACE');
    expect(error.message).toContain('999999');
  });

  test('must exist for a run of many', async () => {
    await expect(
      runMany(action('pass'), [packet], { context: { ingressIfindex: 999_999 } }),
    ).rejects.toMatchObject({ code: 'XDP_NO_SUCH_INTERFACE' });
  });
});

describe('the receive queue', () => {
  needs(missing.context);

  test('needs an interface, before any system call', () => {
    const error = thrownBy(() => runXdp(action('pass'), packet, { context: { rxQueue: 1 } }));
    expect(error.code).toBe('XDP_INVALID_ARGUMENT');
    expect(error.message).toContain('ingressIfindex');
    expect(error.syscall).toBeUndefined();
  });

  test('must be one that the interface has', () => {
    const error = thrownBy(() =>
      runXdp(action('seen_queue'), packet, { context: { ingressIfindex: LOOPBACK, rxQueue: 1000 } }),
    );
    expect(error.code).toBe('XDP_NO_SUCH_INTERFACE');
    expect(error.message).toContain('queue 1000');
  });
});

describe('metadata in', () => {
  needs(missing.context);

  test('lies in front of the packet, and is split from it in the result', () => {
    const metadata = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(runXdp(action('seen_metadata'), packet, { metadata }).verdict).toBe(8);
    const result = runXdp(action('first_metadata'), packet, { metadata });
    expect(result.verdict).toBe(0x04030201);
    expect(result.metadata).toEqual(metadata);
    expect(result.packet).toEqual(packet);
    expect(result.changed).toBe(false);
  });

  test.each([1, 2, 3, 5, 10])('of %i bytes is refused: only multiples of 4 are metadata', (size) => {
    const error = thrownBy(() => runXdp(action('pass'), packet, { metadata: new Uint8Array(size) }));
    expect(error.code).toBe('XDP_METADATA_INVALID');
    expect(error.message).toContain(`got ${size}`);
  });

  test('is taken up to the probed limit, and refused above it', () => {
    const most = new Uint8Array(limits.maxMetadataBytes);
    expect(runXdp(action('seen_metadata'), packet, { metadata: most }).verdict).toBe(most.length);
    const error = thrownBy(() =>
      runXdp(action('pass'), packet, { metadata: new Uint8Array(limits.maxMetadataBytes + 4) }),
    );
    expect(error.code).toBe('XDP_METADATA_INVALID');
    expect(error.message).toContain(`at most ${limits.maxMetadataBytes}`);
  });

  test('takes headroom, not room of the packet: the longest one is still seen whole', () => {
    const metadata = new Uint8Array(limits.maxMetadataBytes);
    const bytes = new Uint8Array(limits.maxLinearBytes).fill(7);
    const result = runXdp(action('seen'), bytes, { metadata });
    expect(result.verdict).toBe(limits.maxLinearBytes);
    expect(result.packet).toEqual(bytes);
  });

  test('that is empty is none', () => {
    expect(runXdp(action('seen_metadata'), packet, { metadata: new Uint8Array() }).verdict).toBe(0);
  });
});

describe('metadata out', () => {
  needs(missing.context);

  const written = new Uint8Array([0x44, 0x33, 0x22, 0x11, 0x88, 0x77, 0x66, 0x55]);

  test('comes first in what the kernel writes, and is split from the packet', () => {
    const result = runXdp(action('add_metadata'), packet);
    expect(result.metadata).toEqual(written);
    expect(result.packet).toEqual(packet);
    expect(result.changed).toBe(true);
  });

  test('is split in a run of many', async () => {
    const results = await runMany(action('add_metadata'), [packet, new Uint8Array(100)]);
    expect([...results.metadataLengths]).toEqual([8, 8]);
    expect([...results.lengths]).toEqual([64, 100]);
    expect(results.at(0)!.metadata).toEqual(written);
    expect(results.at(0)!.packet).toEqual(packet);
    expect(results.at(1)!.packet).toEqual(new Uint8Array(100));
  });
});

test('a kernel without contexts refuses all of this before the call, another takes it', () => {
  for (const options of [{ context: { ingressIfindex: LOOPBACK } }, { metadata: new Uint8Array(4) }]) {
    const attempt = () => runXdp(action('pass'), packet, options);
    if (limits.context) expect(attempt().action).toBe('XDP_PASS');
    else expect(thrownBy(attempt).code).toBe('XDP_CONTEXT_UNSUPPORTED');
  }
});

test('what metadata takes of the headroom, a program cannot put in front any more', ({ skip }) => {
  skip(missing.context !== undefined, missing.context);
  const run = (size: number) => runXdp(action('prepend'), packet, { metadata: new Uint8Array(size) }).action;
  // 216 bytes for both, and `prepend` wants 20: room enough beside the 32 bytes of metadata that old kernels take.
  const room = 216 - 20;
  expect(run(Math.min(limits.maxMetadataBytes, room))).toBe('XDP_TX');
  expect(run(limits.maxMetadataBytes)).toBe(limits.maxMetadataBytes <= room ? 'XDP_TX' : 'XDP_ABORTED');
});
