/** The number of runs grows as in Go's testing.B, and always comes to an end. */
import { expect, test } from 'vitest';
import { nextRuns } from '#dist/bench/grow.js';

const GOAL_NS = 100e6;

/** The steps until a measurement takes as long as the goal, when a call costs `callNs` and each run `runNs`. */
function steps(callNs: number, runNs: number): number[] {
  const tried = [1];
  for (let runs = 1; callNs + runs * runNs < GOAL_NS; ) {
    runs = nextRuns(runs, callNs + runs * runNs, GOAL_NS);
    tried.push(runs);
    if (tried.length > 50) throw new Error('no end');
  }
  return tried;
}

test.each([
  ['a fast program', 1_000, 20],
  ['a slow one', 1_000, 1_000_000],
  ['calls that cost milliseconds each, for other reasons', 16e6, 20],
  ['a clock that shows nothing at first', 0, 0.2],
])('%s', (_, callNs, runNs) => {
  const tried = steps(callNs, runNs);
  expect(tried.length).toBeLessThan(20);
  for (let i = 1; i < tried.length; i++) {
    expect(tried[i]).toBeGreaterThan(tried[i - 1]!);
    expect(tried[i]).toBeLessThanOrEqual(tried[i - 1]! * 100);
  }
});

test('never more than a thousand million runs', () => {
  expect(nextRuns(5e8, 1, GOAL_NS)).toBe(1e9);
});
