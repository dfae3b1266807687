/**
 * Three distribution tests at once (bench/three-tests.ts), here and on 5.10, whose dispatcher every test run rewrites. No
 * times: what is exact there is how often that happens.
 */
import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { probeKernel } from 'xdptest';
import { runInKernel } from 'xdptest/vm';
import type { Case, Report } from '../../bench/three-tests-report.ts';
import { needs } from '../support/needs.ts';
import { vmObstacle } from '../support/vm.ts';

const sdk = join(import.meta.dirname, '../..');
const program = join(sdk, '.bench/sdk/bench/three-tests.js');
const obstacle = await vmObstacle(['5.10']);

/** Enough for 128 backends, and few enough for emulation. */
const NAIVE_PACKETS = 1500;
const PACKETS = 3000;
const sizes = ['--packets', String(PACKETS), '--naive-packets', String(NAIVE_PACKETS)];

function expectWellFormed({ cases, rounds }: Report): void {
  expect(rounds).toBe(1);
  expect(cases.map((one) => [one.way, one.testsAtOnce, one.packetsPerTest])).toEqual([
    ['naive', 1, NAIVE_PACKETS],
    ['syscall', 1, PACKETS],
    ['planned', 1, PACKETS],
    ['naive', 3, NAIVE_PACKETS],
    ['syscall', 3, PACKETS],
    ['planned', 3, PACKETS],
  ]);
  for (const one of cases) {
    expect(one.passed, JSON.stringify(one)).toBe(true);
    expect(one.minNs).toBeGreaterThan(0);
    expect(one.medianNs).toBeGreaterThanOrEqual(one.minNs);
    expect(one.maxNs).toBeGreaterThanOrEqual(one.medianNs);
    // Three tests have backends of their own, and so statistics of their own.
    expect(new Set(one.pValues).size).toBe(one.testsAtOnce);
  }
}

describe('three distribution tests at once', { timeout: 400_000 }, () => {
  needs(obstacle);
  beforeAll(() => {
    if (obstacle === undefined) execFileSync('make', ['-s', '-C', 'bench'], { cwd: sdk, stdio: 'inherit' });
  });

  test('here: each way runs, and the statistics of all pass', async () => {
    const args = [program, '--json', '--rounds', '1', ...sizes];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const report = JSON.parse(stdout) as Report;
    const { release, dispatcher } = probeKernel();
    expect(report.release).toBe(release);
    expect(report.rewritesRefused === null).toBe(dispatcher.evidence.rewrites !== undefined);
    expectWellFormed(report);
  });

  test('on 5.10: single calls rewrite twice a packet, what the planner chooses does not', {
    retry: 1,
  }, async () => {
    const command = [process.execPath, program, '--json', '--rounds', '1', ...sizes];
    const result = await runInKernel({ kernel: '5.10', command });
    // Neither a lockup nor a warning of the kernel.
    expect(result, result.reason + result.stderr).toMatchObject({ outcome: 'passed', warnings: [] });
    const report = JSON.parse(result.stdout) as Report;
    expectWellFormed(report);
    expect(report.dispatcher).toContain('this kernel lacks the bypass');
    const rewrites = ({ way, testsAtOnce, rewrites }: Case): unknown => [way, testsAtOnce, rewrites];
    expect(report.cases.map(rewrites)).toEqual([
      ['naive', 1, 2 * NAIVE_PACKETS],
      // One rewrite parks, one ends it.
      ['syscall', 1, 2],
      ['planned', 1, 2],
      ['naive', 3, 2 * 3 * NAIVE_PACKETS],
      ['syscall', 3, 2 * 3],
      ['planned', 3, 2 * 3],
    ]);
    for (const { way, how } of report.cases)
      if (way !== 'naive') expect(how).toMatch(/parked on the dispatcher/);
  });

  test('a size that is none is refused', async () => {
    const run = promisify(execFile)(process.execPath, [program, '--packets', 'many']);
    await expect(run).rejects.toThrow(/--packets must be a positive whole number/);
  });
});
