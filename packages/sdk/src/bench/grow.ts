/** Finds how many runs make a measurement long enough, as Go's testing.B does. Pure. */

/** Never more than so many times the runs before: a first measurement of a few runs says little. */
const MOST_GROWTH = 100;
const MOST_RUNS = 1e9;

/**
 * The next number of runs to try, from the last number and the wall time that it took. Wall time, not the time of the
 * program: where each call costs milliseconds for other reasons, the loop must end all the same.
 */
export function nextRuns(runs: number, elapsedNs: number, goalNs: number): number {
  const perRun = Math.max(elapsedNs / runs, 0.1);
  const predicted = Math.ceil((goalNs / perRun) * 1.2);
  return Math.min(MOST_RUNS, Math.max(runs + 1, Math.min(predicted, runs * MOST_GROWTH)));
}
