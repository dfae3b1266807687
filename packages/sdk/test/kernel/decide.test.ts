/** From measurements to the dispatcher's state: kernels that this machine is not, made up. */

import { describe, expect, test } from 'vitest';
import { type DispatcherMeasurements, decide } from '#dist/kernel/dispatcher.js';

/** Times as they were measured on 6.18, where nothing else is said. */
function measured(more: Partial<DispatcherMeasurements> = {}): DispatcherMeasurements {
  return {
    rewrites: undefined,
    rewritesRefused: 'EPERM',
    voluntarySwitches: { repeat1: 0, repeat2: 2 },
    unparkedNs: { repeat1: 1300, repeat2: 18e6 },
    parkedNs: { repeat1: 1300, repeat2: 1350 },
    parkingRefused: undefined,
    repeatNs: 25,
    ...more,
  };
}

const unparked = { parkedNs: undefined, parkingRefused: 'EPERM' };

describe('counted rewrites decide before anything else', () => {
  test.each([
    ['always', { repeat1: 2, repeat2: 2 }],
    ['bypassed', { repeat1: 0, repeat2: 2 }],
    ['absent', { repeat1: 0, repeat2: 0 }],
  ] as const)('%s', (state, rewrites) => {
    const facts = decide(measured({ rewrites, unparkedNs: { repeat1: 1, repeat2: 1 } }));
    expect(facts.state).toBe(state);
    expect(facts.evidence.decidedBy).toBe('rewrites');
    expect(facts.reason).toContain(`counted ${rewrites.repeat1} rewrites a call at repeat 1`);
  });
});

describe('times, parked against not parked', () => {
  test.each([
    ['bypassed', { repeat1: 1300, repeat2: 18e6 }],
    // Debian's 5.10 in an emulated guest: 267 us against 13.8 us
    ['always', { repeat1: 267_000, repeat2: 270_000 }],
    ['absent', { repeat1: 1300, repeat2: 1400 }],
  ] as const)('%s', (state, unparkedNs) => {
    const parkedNs = state === 'always' ? { repeat1: 13_800, repeat2: 13_900 } : measured().parkedNs;
    const facts = decide(measured({ unparkedNs, parkedNs, voluntarySwitches: { repeat1: 0, repeat2: 0 } }));
    expect(facts.state).toBe(state);
    expect(facts.evidence.decidedBy).toBe('timing');
  });
});

describe('without parking', () => {
  test.each([
    ['always', { repeat1: 2, repeat2: 2 }],
    ['bypassed', { repeat1: 0.02, repeat2: 2 }],
  ] as const)('sleeps decide: %s', (state, voluntarySwitches) => {
    const facts = decide(measured({ ...unparked, voluntarySwitches }));
    expect([facts.state, facts.evidence.decidedBy]).toEqual([state, 'voluntary-switches']);
    expect(facts.reason).toContain('sleeps a call');
  });

  test('a slow repeat 2 alone tells of the bypass', () => {
    const facts = decide(measured({ ...unparked, voluntarySwitches: { repeat1: 0, repeat2: 0 } }));
    expect([facts.state, facts.evidence.decidedBy]).toEqual(['bypassed', 'timing']);
  });

  test('with nothing that tells, the worse is assumed, and the reason says so', () => {
    const facts = decide(
      measured({
        ...unparked,
        voluntarySwitches: { repeat1: 0, repeat2: 0 },
        unparkedNs: { repeat1: 267_000, repeat2: 268_000 },
      }),
    );
    expect([facts.state, facts.evidence.decidedBy]).toEqual(['always', 'assumption']);
    expect(facts.reason).toContain('assumed');
    expect(facts.reason).toContain('EPERM');
  });
});

describe('what follows for the planner', () => {
  test('the break-even is where one rewrite costs as much as the calls that it saves', () => {
    const { rewriteNs, callNs, repeatNs, breakEvenRuns } = decide(measured());
    expect(rewriteNs).toBe(18e6 - 1350);
    const loop = (runs: number): number => rewriteNs + callNs + runs * repeatNs;
    expect(loop(breakEvenRuns)).toBeLessThanOrEqual(breakEvenRuns * callNs);
    expect(loop(breakEvenRuns - 2)).toBeGreaterThan((breakEvenRuns - 2) * callNs);
  });

  test('an absent dispatcher costs nothing, and the break-even is at two runs', () => {
    const facts = decide(measured({ unparkedNs: { repeat1: 1300, repeat2: 1400 } }));
    expect([facts.state, facts.rewriteNs, facts.breakEvenRuns]).toEqual(['absent', 0, 2]);
  });

  test('times of 0 give no infinite numbers', () => {
    const zero = { repeat1: 0, repeat2: 0 };
    const facts = decide(measured({ unparkedNs: zero, parkedNs: zero, repeatNs: 1 }));
    expect(Number.isFinite(facts.breakEvenRuns)).toBe(true);
    expect(facts.breakEvenRuns).toBeGreaterThanOrEqual(2);
  });
});
