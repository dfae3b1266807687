/** Repeats: every run gets the packet as it was given, nothing is ever divided by a duration, and time limits hold. */
import { describe, expect, test } from 'vitest';
import { runXdp } from 'xdptest';
import { thrownBy } from '../support/errors.ts';
import { action, load } from '../support/objects.ts';

/** So many that repeats of one call would be cheaper, if the packet were restored between them. */
const MANY = 40_000;
const packet = Uint8Array.from({ length: 64 }, (_, i) => i + 1);

test('0 repeats are refused: the kernel would silently make 1 of them', () => {
  const error = thrownBy(() => runXdp(action('pass'), packet, { repeat: 0 }));
  expect(error.code).toBe('XDP_INVALID_ARGUMENT');
  expect(error.message).toContain('from 1 to');
});

test.each([1, 2, 7, 1000, 100_000])('%i repeats are as many runs', (repeat) => {
  const object = load('actions');
  runXdp(object.program('count'), packet, { repeat });
  expect(object.variables.runs).toBe(BigInt(repeat));
});

describe('a program that changes the packet', () => {
  test('gets it restored: one that prepends 20 bytes would run out of headroom at the 11th run', () => {
    const { action: verdict, packet: out } = runXdp(action('prepend'), packet, { repeat: MANY });
    expect(verdict).toBe('XDP_TX');
    expect(out).toHaveLength(84);
  });

  test('sees the same first byte in each run', () => {
    // On its own output it would see 1 and 254 in turn.
    const object = load('repeats');
    runXdp(object.program('flips'), packet, { repeat: MANY });
    expect(object.variables.sum).toBe(BigInt(MANY));
  });

  test('only in a later run gives an error, not the result of runs on its own output', () => {
    const object = load('repeats', { variables: { changes_from: 500n } });
    const error = thrownBy(() => runXdp(object.program('changes_later'), packet, { repeat: 10_000_000 }));
    expect(error.code).toBe('XDP_PACKET_CHANGED');
    expect(error.message).toContain('changes_later');
  });

  test('never, up to the last run, is repeated in the kernel without an error', () => {
    const object = load('repeats', { variables: { changes_from: 0xffff_ffffn } });
    expect(runXdp(object.program('changes_later'), packet, { repeat: 100_000 }).changed).toBe(false);
    expect(object.variables.runs).toBe(100_000n);
  });
});

describe('the duration', () => {
  test.each([1, 2, 100_000])('of %i runs is a whole number of nanoseconds a run, maybe 0', (repeat) => {
    const { durationNs } = runXdp(action('pass'), packet, { repeat });
    expect(Number.isSafeInteger(durationNs)).toBe(true);
    expect(durationNs).toBeGreaterThanOrEqual(0);
  });

  test('of a slow program is the mean of its runs, not their sum', () => {
    const { program } = { program: load('repeats').program('slow') };
    const one = runXdp(program, packet).durationNs;
    const mean = runXdp(program, packet, { repeat: 2000 }).durationNs;
    // A sum would be 2000 times as much: this is no measurement.
    expect(mean).toBeLessThan(one * 200);
  });
});

describe('timeoutMs', () => {
  test('ends repeats between two calls, and tells how many runs were made', () => {
    const object = load('repeats');
    const error = thrownBy(() =>
      runXdp(object.program('slow'), packet, { repeat: 2_000_000_000, timeoutMs: 1 }),
    );
    expect(error.code).toBe('XDP_TIMEOUT');
    expect(object.variables.runs).toBe(BigInt(error.completed!));
    expect(error.completed).toBeLessThan(2_000_000_000);
  });
});
