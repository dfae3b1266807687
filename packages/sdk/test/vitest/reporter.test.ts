/** The reporter in the manner of Go: what it prints, and that tools of Go read its events. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runVitest, stable } from './support/run-vitest.ts';

const reporter = fileURLToPath(new URL('../../dist/vitest/reporter.js', import.meta.url));

interface GoEvent {
  readonly Time: string;
  readonly Action: string;
  readonly Package: string;
  readonly Test?: string;
  readonly Elapsed?: number;
  readonly Output?: string;
}

test('prints what go test -v prints', async () => {
  const { code, stdout, stderr } = await runVitest(['report.sample.ts', `--reporter=${reporter}`]);
  expect(code).toBe(1);
  await expect(stable(stdout)).toMatchFileSnapshot('report.txt');
  // The kernel is no part of Go's format, and goes to the other stream.
  expect(stderr).toMatch(/^ kernel \d+\.\d+\S* /);
  expect(stderr).toContain('skipped 1 test: for a reason');
});

test('tells of tests in their order, however slowly vitest hands the news on', async () => {
  const { stdout } = await runVitest(['slow.sample.ts', '--config', 'slow.config.ts']);
  const told = Array.from(stdout.matchAll(/^(?:=== RUN|--- \w+:) +\S+/gm), ([line]) => line);
  expect(told).toEqual([
    '=== RUN   TestFirst',
    ...['a', 'b', 'c'].flatMap((name) => [`=== RUN   TestFirst/${name}`, `--- PASS: TestFirst/${name}`]),
    '--- PASS: TestFirst',
    '=== RUN   TestSecond',
    '--- PASS: TestSecond',
  ]);
});

test('writes the events of go test -json', async () => {
  const { stdout } = await runVitest(['report.sample.ts', '--config', 'json.config.ts']);
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as GoEvent);

  // The schema of `go doc test2json`: these members, and none else, in this order.
  const members = ['Time', 'Action', 'Package', 'Test', 'Elapsed', 'Output'];
  for (const event of events) {
    expect(Object.keys(event)).toEqual(members.filter((member) => member in event));
    expect(['start', 'run', 'pause', 'cont', 'pass', 'fail', 'output', 'skip']).toContain(event.Action);
    expect(new Date(event.Time).toISOString()).toBe(event.Time);
    expect(event.Package).toBe('report.sample.ts');
    expect(event.Output !== undefined).toBe(event.Action === 'output');
    if (event.Output !== undefined) expect(event.Output).toMatch(/\n$/);
  }
  expect(events[0]?.Action).toBe('start');
  expect(events.at(-1)).toMatchObject({ Action: 'fail', Elapsed: expect.any(Number) });
  expect(events.at(-1)).not.toHaveProperty('Test');

  // Every test that runs ends, once, and all that is printed of it lies between.
  const tests = new Set(events.flatMap(({ Test }) => Test ?? []));
  for (const name of tests) {
    const actions = events.filter(({ Test }) => Test === name).map(({ Action }) => Action);
    expect(actions[0]).toBe('run');
    expect(actions.filter((action) => /^(pass|fail|skip)$/.test(action))).toEqual([actions.at(-1)]);
  }
  expect(tests).toContain('TestLoadBalancerDistribution/32_endpoints');
  expect(tests).toContain('TestSubtests/parallel_a');
});

test('gotestsum reads the events', async ({ skip }) => {
  const { stdout } = await runVitest(['report.sample.ts', '--config', 'json.config.ts']);
  const gotestsum = spawnSync('gotestsum', ['--format', 'testname', '--raw-command', '--', 'cat'], {
    input: stdout,
    encoding: 'utf8',
  });
  if (gotestsum.error !== undefined) {
    skip('gotestsum is not installed (apt-get install gotestsum)');
  }
  expect(gotestsum.stdout).toContain('PASS report.sample.ts.TestLoadBalancerDistribution/32_endpoints');
  expect(gotestsum.stdout).toContain('FAIL report.sample.ts.TestSubtests/broken');
  expect(gotestsum.stdout).toMatch(/DONE 15 tests, 5 skipped, 4 failures/);
});

test('without verbose only failures and a line for each file are shown', async () => {
  const { stdout } = await runVitest(['report.sample.ts', '--config', 'quiet.config.ts']);
  expect(stdout).not.toContain('=== RUN');
  expect(stdout).not.toContain('--- PASS');
  expect(stdout).not.toContain('32 iterations');
  expect(stdout).toMatch(
    / {4}report\.sample\.ts:30: no good\n--- FAIL: TestSubtests\/broken \(\d+\.\d\ds\)\n/,
  );
  expect(stdout).toMatch(/FAIL\nFAIL\treport\.sample\.ts\t\d+\.\d{3}s\n$/);
});
