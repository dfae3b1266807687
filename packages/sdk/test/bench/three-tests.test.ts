/** What the benchmark of three tests at once makes of its rounds. That it runs is held by test/vm/three-tests.test.ts. */
import { expect, test } from 'vitest';
import { formatReport, summarizeCases } from '../../bench/three-tests-report.ts';

const outcome = (ns: number, passed = true) => ({ ns, passed, pValue: 0.5, how: 'so' });
const rounds = (way: 'naive' | 'planned', ns: readonly number[], passed = true) => {
  const timed = ns.map((one) => outcome(one));
  const all = [outcome(1e9, passed), ...timed];
  return { way, testsAtOnce: 3, packetsPerTest: way === 'naive' ? 10 : 100, rewrites: 60, all, timed };
};

test('compares a packet of each way with one of the naive way; the first round is not timed', () => {
  const [naive, planned] = summarizeCases([rounds('naive', [1000, 3000, 2000]), rounds('planned', [800])]);
  expect(naive).toMatchObject({ medianNs: 200, minNs: 100, maxNs: 300, timesFaster: 1, passed: true });
  expect(planned).toMatchObject({ medianNs: 8, timesFaster: 25 });
});

test('shows statistics that failed in any round, and rewrites that were not counted', () => {
  const cases = summarizeCases([
    rounds('naive', [1000], false),
    { ...rounds('planned', [800]), rewrites: null },
  ]);
  const text = formatReport({ release: '0', dispatcher: 'x', rounds: 1, rewritesRefused: 'EPERM', cases });
  expect(text).toMatch(/\(a\) .* 100 \(100 to 100\) +1 +60 +FAILED\n/);
  expect(text).toMatch(/\(b\) .* 8 \(8 to 8\) +12\.5 +\? +passed\n/);
  expect(text).toContain('Rewrites are not counted: EPERM.');
});
