// The command's own behaviour, on the kernel `host`: no machine is needed for it.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runInKernel, runOnKernels } from 'xdptest/vm';
import { parseJunit } from '#dist/vm/junit.js';
import { isEmptyDirectory, processesWith, startVm, until } from '../support/vm.ts';

let directory: string;
let temporary: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'vm-host-'));
  temporary = join(directory, 'tmp');
  mkdirSync(temporary);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const run = (args: readonly string[]): ReturnType<typeof startVm> =>
  startVm(args, { env: { TMPDIR: temporary }, cwd: directory });

describe('xdptest vm, on the host itself', () => {
  test('streams lines with the name in front, passes the exit code, and prints the table', async () => {
    const end = await run([
      '--kernel',
      'host',
      '--',
      'sh',
      '-c',
      'pwd; echo bad >&2; printf "2 passed, 1 failed"; exit 7',
    ]).finished;
    expect(end.code).toBe(7);
    expect(end.stdout).toContain(`host | ${directory}\nhost | 2 passed, 1 failed\n`);
    expect(end.stderr).toBe('host | bad\n');
    const escaped = release().replaceAll(/[.+]/g, '\\$&');
    expect(end.stdout).toMatch(new RegExp(`host +${escaped} +2 +1 +0 +\\d+\\.\\d  exit code 7\n$`));
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('merges the reports that the command leaves', async () => {
    const write = `echo '<testsuite><testcase name="a"/><testcase name="b"><skipped message="why"/></testcase></testsuite>' > $XDPTEST_JUNIT`;
    const end = await run([
      ...['-k', 'host', '--junit', 'all.xml', '--json', 'all.json'],
      ...['--', 'sh', '-c', `${write}; echo on $XDPTEST_KERNEL`],
    ]).finished;
    expect(end.stderr).toBe('');
    expect(end.code).toBe(0);
    expect(end.stdout).toContain('host | on host\n');
    expect(end.stdout).toContain('skipped on host:\n     1  why\n');
    const tests = parseJunit(readFileSync(join(directory, 'all.xml'), 'utf8'));
    expect(tests?.map((record) => record.name)).toEqual(['[host] a', '[host] b']);
    expect(JSON.parse(readFileSync(join(directory, 'all.json'), 'utf8'))).toMatchObject({
      version: 1,
      kernels: [{ kernel: 'host', outcome: 'passed', passed: 1, skipped: 1 }],
    });
  });

  test('one kernel that cannot be had does not stop the others, and is no pass', async () => {
    const end = await run(['-k', './nowhere,host', '--', 'true']).finished;
    expect(end.code).toBe(125);
    expect(end.stdout).toMatch(/\.\/nowhere +- .*UNAVAILABLE\nhost .*passed\n/);
    expect(end.stdout).toContain('./nowhere: unavailable: there is no ');
  });

  test.for([
    [['-k', 'host'], /which command\? put it after --/],
    [['--', 'true'], /which kernel\?/],
    [['-k', 'linux', '--', 'true'], /"linux" is no kernel's name/],
    [['-k', 'host', '--smp', 'two', '--', 'true'], /--smp must be a number, got "two"/],
    [['-k', 'host', '--smp', '0', '--', 'true'], /smp must be a whole number from 1 to 64, got 0/],
    [
      ['-k', 'host', '--root', 'nfs', '--', 'true'],
      /--root must be one of auto, 9p, virtiofs, initramfs, got "nfs"/,
    ],
    [['-k', 'host', '--frobnicate', '--', 'true'], /'--frobnicate'/],
    [['-k', 'host,5.10', '--keep', '--', 'true'], /--keep needs exactly one kernel/],
    [['frobnicate'], /there is no "vm frobnicate"/],
  ] as const)('%j is refused', async ([args, message]) => {
    const end = await run(args).finished;
    expect(end.code).toBe(2);
    expect(end.stderr).toMatch(message);
  });

  test('a command that does not exist is told as the shell would', async () => {
    const end = await run(['-k', 'host', '--', 'no-such-program-here']).finished;
    expect(end.code).toBe(127);
    expect(end.stderr).toContain('no-such-program-here');
  });

  test('--help names every option', async () => {
    const end = await run(['--help']).finished;
    expect(end.code).toBe(0);
    for (const name of ['kernel', 'modules', 'junit', 'json', 'timeout', 'smp', 'memory', 'root', 'keep']) {
      expect(end.stdout).toContain(`--${name} `);
    }
  });
});

describe('a command on the host', () => {
  test('is ended by its time limit, with all that it started', async () => {
    const marker = `sleep-${process.pid}-a`;
    const result = await runInKernel({
      kernel: 'host',
      command: ['sh', '-c', `MARK=${marker} sleep 300 & MARK=${marker} sleep 300`],
      timeoutMs: 500,
    });
    expect(result).toMatchObject({
      outcome: 'timed out',
      exitCode: undefined,
      reason: 'no end within 0.5 s',
    });
    expect(processesWith(marker)).toEqual([]);
  });

  test('that leaves a process behind does not hang, and the process is ended', async () => {
    const marker = `sleep-${process.pid}-b`;
    const result = await runInKernel({
      kernel: 'host',
      command: ['sh', '-c', `MARK=${marker} sleep 300 & echo done`],
    });
    expect(result).toMatchObject({ outcome: 'passed', stdout: 'done\n' });
    expect(result.seconds).toBeLessThan(30);
    expect(processesWith(marker)).toEqual([]);
  });

  test('is ended by a signal of the caller', async () => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 300);
    const results = await runOnKernels({
      kernels: ['host', 'host'],
      command: ['sleep', '300'],
      signal: abort.signal,
    });
    expect(results.map((result) => result.outcome)).toEqual(['interrupted', 'interrupted']);
  });

  test('that exits 0 although its report tells of a failure has failed', async () => {
    const command = ['sh', '-c', `echo '{"tests":[{"name":"a","status":"failed"}]}' > $XDPTEST_JSON`];
    const result = await runInKernel({ kernel: 'host', command });
    expect(result).toMatchObject({
      outcome: 'failed',
      exitCode: 0,
      counts: { passed: 0, failed: 1, skipped: 0 },
    });
    expect(result.reason).toContain('tells of 1 failed');
  });

  test('gives its output whole, and its environment is what was given', async () => {
    const result = await runInKernel({
      kernel: 'host',
      command: ['sh', '-c', 'echo "$A:$HOME"; echo err >&2'],
      env: { A: "it's $(x)", PATH: process.env.PATH },
    });
    expect(result).toMatchObject({ stdout: "it's $(x):\n", stderr: 'err\n', release: release() });
  });

  test.for(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
    '%s to xdptest leaves no process and no file',
    async (signal) => {
      const running = run(['-k', 'host', '--', 'sh', '-c', 'echo started; sleep 300']);
      await running.says('started');
      expect(processesWith(temporary).length).toBeGreaterThan(1);
      running.kill(signal);
      const end = await running.finished;
      expect(end.code).toBe({ SIGINT: 130, SIGTERM: 143, SIGKILL: null }[signal]);
      expect(
        await until(() => processesWith(temporary).length === 0, 5000),
        processesWith(temporary).join('\n'),
      ).toBe(true);
      expect(await until(() => isEmptyDirectory(temporary), 5000)).toBe(true);
      expect(existsSync(temporary)).toBe(true);
    },
  );
});
