/** `xdp({ kernels })`: the same test files here and in a machine with another kernel, in one run of vitest. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { release, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { xdp } from 'xdptest/vitest';
import { encodeFrame, type Frame, frameReader } from '#dist/vitest/kernels/frames.js';
import { parseJsonReport, type TestRecord } from '#dist/vm/records.js';
import { thrownBy } from '../support/errors.ts';
import { needs } from '../support/needs.ts';
import { processesWith, vmObstacle } from '../support/vm.ts';
import { runVitest, sample, type VitestRun } from './support/run-vitest.ts';

const obstacle = await vmObstacle(['debian:5.10']);

describe('tests on this kernel and on 5.10', { timeout: 600_000 }, () => {
  needs(obstacle);

  let directory: string;
  beforeAll(() => {
    rmSync(join(sample, '.xdptest'), { recursive: true, force: true });
    directory = mkdtempSync(join(tmpdir(), 'vitest-kernels-'));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  async function run(
    args: readonly string[],
    env: NodeJS.ProcessEnv = {},
  ): Promise<VitestRun & { readonly records: readonly TestRecord[] }> {
    const report = join(directory, 'report.json');
    const reporters = ['--reporter=verbose', '--reporter=xdptest/vm/vitest-reporter'];
    const result = await runVitest(['--config=kernels.config.ts', ...reporters, ...args], {
      env: { XDPTEST_JSON: report, TMPDIR: directory, ...env },
      timeoutMs: 580_000,
    });
    return { ...result, records: parseJsonReport(readFileSync(report, 'utf8')) ?? [] };
  }
  /** What a failing assertion shows of an output. */
  const shown = (output: string) => output.replaceAll(/(?:long){100,}/g, 'long...');
  const states = (records: readonly TestRecord[]) => records.map(({ name, status }) => `${status} ${name}`);

  test('both are in one report, under their names, and nothing stays behind', async () => {
    const { code, stdout, stderr, records } = await run([]);
    expect(states(records), shown(`${stdout}${stderr}`)).toEqual([
      'passed [host] TestKernels > tests run on the kernel',
      'passed [host] TestKernels > what the kernel lacks is skipped',
      'failed [host] TestKernels > fails, with a capture',
      'skipped [host] TestKernels > the kernel reports a lockup',
      'passed [oldstable] TestKernels > tests run on the kernel',
      'skipped [oldstable] TestKernels > what the kernel lacks is skipped',
      'failed [oldstable] TestKernels > fails, with a capture',
      'skipped [oldstable] TestKernels > the kernel reports a lockup',
    ]);
    expect(code).toBe(1);
    const lack = records.find(({ name, status }) => status === 'skipped' && name.includes('lacks'));
    expect(lack?.reason).toMatch(/^requires live-frames: kernel 5\.18 or newer, this is 5\.10\.\d/);
    // The heads of the run, and what tests print.
    const output = shown(`${stdout}${stderr}`);
    expect(output).toContain(` host: kernel ${release()} `);
    expect(output).toMatch(/ oldstable: kernel 5\.10\.\d\S* x86_64: parking/);
    expect(output).toContain(`host is ${release()}: `);
    expect(output).toMatch(/debian:5\.10 is 5\.10\.\d\S*: always/);
    const long = 'long'.repeat(100_000);
    expect(stdout.split('\n').filter((line) => line === long).length).toBe(2);
    expect(stderr.match(/straight to the stream/g)).toHaveLength(2);
    // The guest's files are gone with it, but for captures: each kernel's are here.
    const capture = 'TestKernels-fails-_with_a_capture.pcapng';
    for (const path of [capture, join('oldstable', capture)]) {
      expect(output).toContain(join(relative(process.cwd(), sample), '.xdptest', path));
    }
    // vitest copies what tests attach, as soon as they do.
    const attached = readdirSync(join(sample, '.xdptest/attachments'));
    expect(attached.filter((name) => name.includes('with-a-capture'))).toHaveLength(2);
    const captures = readdirSync(join(sample, '.xdptest'), { recursive: true, encoding: 'utf8' });
    expect(captures).toEqual(expect.arrayContaining([capture, join('oldstable', capture)]));
    expect(processesWith(directory)).toEqual([]);
    expect(readdirSync(directory)).toEqual(['report.json']);
  });

  test('a kernel that reports a lockup fails the run, whatever the tests say', async () => {
    const { code, stdout, stderr, records } = await run(['--project=oldstable'], { SAMPLE_LOCKUP: '1' });
    const output = `${stdout}${stderr}`;
    expect(code, output).toBe(1);
    expect(records.every(({ name }) => name.startsWith('[oldstable] '))).toBe(true);
    expect(output).toMatch(
      /XdpError.*debian:5\.10 \(5\.10\.\d\S*\): lockup: watchdog: BUG: soft lockup - CPU#0/,
    );
    expect(output).toContain('XDP_MACHINE_FAILED');
    expect(output).not.toContain(` kernel ${release()} `);
    expect(processesWith(directory)).toEqual([]);
  });
});

test('a kernel that cannot be had is an error of the run', async () => {
  const { code, stdout, stderr } = await runVitest(['--config=kernels.config.ts', '--project=oldstable'], {
    env: { PATH: '/nowhere', XDPTEST_KERNEL: '' },
  });
  expect(code).toBe(1);
  expect(`${stdout}${stderr}`).toMatch(/XdpError.*debian:5\.10: unavailable: /);
  expect(`${stdout}${stderr}`).toContain('XDP_KERNEL_UNAVAILABLE');
});

test('another pool would run the tests on this kernel, and is refused', async () => {
  const { code, stderr } = await runVitest(['--config=kernels.config.ts', '--pool=threads'], {
    env: { XDPTEST_KERNEL: '' },
  });
  expect(code).toBe(1);
  expect(stderr).toContain('the pool of project "oldstable" is its machine; leave out --pool');
});

test('inside of a machine the tests run right there', async () => {
  const { stdout } = await runVitest(['--config=kernels.config.ts'], {
    env: { XDPTEST_KERNEL: 'debian:6.1' },
  });
  expect(stdout).toContain(`debian:6.1 is ${release()}: `);
  expect(stdout).not.toContain('oldstable');
});

test.for([
  [[], 'kernels must be an array of kernels, got an array of 0'],
  ['5.10', 'kernels must be an array of kernels, got "5.10"'],
  [['host', ''], 'kernels[1]: kernel must be a string'],
  [[{ name: 'x' }], 'kernels[0]: kernel must be a string, got undefined'],
  [[{ kernel: '5.10', smp: 0 }], 'kernels[0]: smp must be a whole number from 1 to 64, got 0'],
  [[{ kernel: '5.10', cpus: 2 }], 'kernels[0]: '],
  [[{ kernel: '5.10', modules: 'veth' }], 'kernels[0]: modules must be an array of names, got "veth"'],
  [['5.10', { kernel: 'debian:5.10', name: '5.10' }], 'two kernels are named "5.10"'],
] as const)('%j is refused', ([kernels, message]) => {
  const error = thrownBy(() => xdp({ kernels: kernels as never }));
  expect(error).toMatchObject({ code: 'XDP_INVALID_ARGUMENT' });
  expect(error.message).toContain(message);
});

test('frames come out as they went in, however the stream is cut', () => {
  const frames = [
    encodeFrame('hello', 0, Buffer.from('first')),
    encodeFrame('message', 7, Buffer.alloc(100_000, 1)),
    encodeFrame('alive', 0),
    encodeFrame('exit', 0xffffffff, Buffer.from('SIGKILL')),
  ];
  const stream = Buffer.concat(frames);
  for (const size of [1, 8, 9, 10, 4096, stream.length]) {
    const seen: Frame[] = [];
    const read = frameReader((frame) => seen.push(frame));
    for (let at = 0; at < stream.length; at += size) read(stream.subarray(at, at + size));
    expect(seen.map(({ kind }) => kind)).toEqual(['hello', 'message', 'alive', 'exit']);
    const again = seen.map(({ kind, worker, payload }) => encodeFrame(kind, worker, payload));
    expect(Buffer.concat(again).equals(stream)).toBe(true);
  }
});
