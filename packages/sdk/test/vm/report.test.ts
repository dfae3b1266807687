import { describe, expect, test } from 'vitest';
import { formatJson, formatJunit, formatTable, type KernelRun } from 'xdptest/vm';
import { parseJunit } from '#dist/vm/junit.js';

const base: KernelRun = {
  kernel: '6.1',
  release: '6.1.0-57-amd64',
  outcome: 'passed',
  reason: '',
  exitCode: 0,
  counts: undefined,
  tests: [],
  files: new Map(),
  stdout: '',
  stderr: '',
  consoleTail: [],
  warnings: [],
  seconds: 12.34,
  attempts: 1,
  firstTry: '',
  how: 'tcg, 9p root',
};

function record(
  name: string,
  status: 'passed' | 'failed' | 'skipped',
  more: object = {},
): KernelRun['tests'][number] {
  return { file: '/home/u/p/test/a.test.ts', name, status, reason: '', message: '', durationMs: 5, ...more };
}

const good: KernelRun = {
  ...base,
  counts: { passed: 1, failed: 0, skipped: 3 },
  tests: [
    record('a', 'passed'),
    record('b', 'skipped', { reason: 'needs 6.4' }),
    record('c', 'skipped', { reason: 'needs 6.4' }),
    record('d', 'skipped'),
  ],
};
const bad: KernelRun = {
  ...base,
  kernel: 'debian:5.10',
  release: '5.10.0-46-amd64',
  outcome: 'failed',
  reason: 'exit code 1',
  exitCode: 1,
  counts: { passed: 0, failed: 1, skipped: 0 },
  tests: [record('a', 'failed', { message: 'expected <b>\nat line 1' })],
};
const dead: KernelRun = {
  ...base,
  kernel: '6.12',
  release: '6.12.118',
  outcome: 'lockup',
  reason: "BUG: soft lockup (the command's exit code was 0)",
  counts: { passed: 1, failed: 0, skipped: 0 },
  tests: [record('a', 'passed')],
  consoleTail: ['[ 48.1] watchdog: BUG: soft lockup - CPU#1 stuck for 22s!', 'Call Trace:'],
};
const absent: KernelRun = {
  ...base,
  kernel: './nowhere',
  release: undefined,
  outcome: 'unavailable',
  reason: 'there is no /nowhere',
  exitCode: undefined,
  seconds: 0,
};

describe('the table', () => {
  test('has a row for each kernel with the release that ran, and tells below what needs words', () => {
    expect(formatTable([good, bad, dead, absent])).toBe(`\
kernel       release          passed  failed  skipped  seconds  result
6.1          6.1.0-57-amd64        1       0        3     12.3  passed
debian:5.10  5.10.0-46-amd64       0       1        0     12.3  exit code 1
6.12         6.12.118              1       0        0     12.3  LOCKUP
./nowhere    -                     -       -        -      0.0  UNAVAILABLE

skipped on 6.1:
     2  needs 6.4
     1  no reason given

6.12: lockup: BUG: soft lockup (the command's exit code was 0)
6.12: the console:
  | [ 48.1] watchdog: BUG: soft lockup - CPU#1 stuck for 22s!
  | Call Trace:

./nowhere: unavailable: there is no /nowhere
`);
  });

  test('a second try and warnings are told', () => {
    const run = {
      ...base,
      attempts: 2,
      firstTry: 'the machine did not come up',
      warnings: ['WARNING: CPU: 0'],
    };
    const text = formatTable([run]);
    expect(text).toContain('passed at the second try');
    expect(text).toContain('first try on 6.1: the machine did not come up');
    expect(text).toContain('6.1: the kernel warned:\n  WARNING: CPU: 0');
  });
});

describe('the merged reports', () => {
  const runs = [good, bad, dead, absent];

  test('JUnit: a suite for each kernel, and its name on each test', () => {
    const xml = formatJunit(runs, '/home/u/p');
    expect(parseJunit(xml)?.map(({ name, status }) => [name, status])).toEqual([
      ['[6.1] a', 'passed'],
      ['[6.1] b', 'skipped'],
      ['[6.1] c', 'skipped'],
      ['[6.1] d', 'skipped'],
      ['[debian:5.10] a', 'failed'],
      ['[6.12] a', 'passed'],
      // Its test passed, and yet nobody may read the report as a pass.
      ['[6.12] the run on this kernel', 'failed'],
      ['[./nowhere] the run on this kernel', 'failed'],
    ]);
    expect(xml).toContain(
      '<testsuite name="6.1" tests="4" failures="0" errors="0" skipped="3" time="12.340">',
    );
    expect(xml).toContain(
      '<testsuite name="6.12" tests="2" failures="1" errors="0" skipped="0" time="12.340">',
    );
    expect(xml).toContain('classname="6.1.test/a.test.ts" name="[6.1] a" file="test/a.test.ts"');
    expect(xml).toContain('<property name="kernel.release" value="5.10.0-46-amd64"/>');
    expect(xml).toContain('soft lockup - CPU#1 stuck');
  });

  test('JSON: the same, with counts', () => {
    const report = JSON.parse(formatJson(runs, '/home/u/p')) as {
      kernels: {
        kernel: string;
        outcome: string;
        passed: number | null;
        tests: { name: string; file: string }[];
      }[];
    };
    expect(report.kernels.map((kernel) => [kernel.kernel, kernel.outcome, kernel.passed])).toEqual([
      ['6.1', 'passed', 1],
      ['debian:5.10', 'failed', 0],
      ['6.12', 'lockup', 1],
      ['./nowhere', 'unavailable', null],
    ]);
    expect(report.kernels[0]?.tests[0]).toMatchObject({ name: '[6.1] a', file: 'test/a.test.ts' });
  });

  test('a command without tests of its own is one test', () => {
    expect(parseJunit(formatJunit([base]))).toMatchObject([
      { name: '[6.1] the run on this kernel', status: 'passed' },
    ]);
  });
});
