/** What a test requires of the kernel, and what the start of a run says of it. */
import { probeKernel } from 'xdptest';
import { describe, expect, test } from 'xdptest/vitest';
import { describeKernel } from '#dist/vitest/kernel-summary.js';
import { answer, checkRequirements } from '#dist/vitest/requirements.js';
import { nobody } from '../support/cli.ts';
import { runVitest } from './support/run-vitest.ts';

const facts = probeKernel();
/** Facts of a kernel that has everything, whichever runs this. */
const fresh = {
  ...facts,
  release: '6.18.1',
  jit: true,
  features: { context: true, frags: true, liveFrames: true, parking: true },
  dispatcher: { ...facts.dispatcher, state: 'bypassed' as const },
};
const old = {
  ...facts,
  release: '5.10.0-30-amd64',
  jit: false,
  features: { context: false, frags: false, liveFrames: false, parking: false },
  dispatcher: { ...facts.dispatcher, state: 'always' as const },
};

test('a kernel that is too old is a reason to skip, with the first one that has it', () => {
  expect(answer(['xdp.frags'], old)).toEqual({
    is: 'missing',
    reason: 'requires xdp.frags: kernel 5.18 or newer, this is 5.10.0-30-amd64',
  });
  expect(answer(['context'], old)).toMatchObject({ reason: expect.stringContaining('kernel 5.15 or newer') });
  expect(answer(['dispatcher-bypass'], old)).toMatchObject({
    reason: expect.stringContaining('kernel 5.17'),
  });
  expect(answer(['jit'], old)).toMatchObject({ reason: expect.stringContaining('net.core.bpf_jit_enable') });
  expect(answer(['live-frames', 'xdp.frags'], fresh)).toEqual({ is: 'met' });
});

test('a kernel that is new enough, but lacks the feature, is a failure', () => {
  const broken = { ...fresh, features: { ...fresh.features, liveFrames: false } };
  expect(answer(['live-frames'], broken)).toMatchObject({
    is: 'broken',
    reason: expect.stringContaining('which kernels have from 5.18 on; this is 6.18.1'),
  });
  // 5.9 is older than 5.18, whatever its text is.
  expect(answer(['xdp.frags'], { ...old, release: '5.9.1' }).is).toBe('missing');
});

test('unknown features are refused by name', () => {
  expect(() => checkRequirements('test x', ['frags'])).toThrow(/xdp\.frags, live-frames.*got \["frags"\]/);
  expect(() => checkRequirements('test x', 'context')).toThrow(/must be an array/);
});

test('the first line names the kernel and what it can do', () => {
  expect(describeKernel(facts).oneFileAtATime).toBe(facts.dispatcher.state === 'always');
  expect(describeKernel(fresh)).toMatchObject({
    oneFileAtATime: false,
    lines: [expect.stringMatching(/^kernel \S+ \S+: .*context/)],
  });
  expect(describeKernel(old)).toMatchObject({
    oneFileAtATime: true,
    lines: [
      expect.stringMatching(/^kernel 5\.10\.0-30-amd64 \S+: btf$/),
      expect.stringContaining('test files run one at a time: each test run rewrites the XDP dispatcher'),
    ],
  });
});

describe('without privileges', { requires: ['context'] }, () => {
  const under = nobody.filter((argument) => !/reuid|clear-groups/.test(argument));

  test('XDP tests fail with what to do', async () => {
    const { code, stdout, stderr } = await runVitest(['pool-b.sample.ts'], { under });
    expect(code).toBe(1);
    expect(stdout).toContain('XDP programs cannot run here');
    expect(stderr).toMatch(/this process lacks CAP_BPF and CAP_NET_ADMIN: run it as root, or grant them/);
    expect(stderr).toContain("xdp({ onUnprivileged: 'skip' })");
  });

  test('they are skipped with the reason where that is asked for', async () => {
    const { code, stdout } = await runVitest(['pool-b.sample.ts', '--config', 'skip.config.ts'], { under });
    expect(code).toBe(0);
    expect(stdout).toMatch(/Tests {2}1 skipped/);
    expect(stdout).toMatch(/skipped 1 test: .*EPERM: this process lacks CAP_BPF/);
  });
});
