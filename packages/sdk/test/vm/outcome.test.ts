import { describe, expect, test } from 'vitest';
import { exitCodeOf, judgeMachine, type MachineFacts, mayRetry } from '#dist/vm/outcome.js';

const ended: MachineFacts = {
  stopped: undefined,
  started: true,
  exitCode: 0,
  failure: undefined,
  trouble: undefined,
  firstLine: '',
  bootTimeoutMs: 60_000,
  timeoutMs: 90_000,
  qemu: { code: 0, words: '' },
};

describe('the judgement of a run', () => {
  test.for([
    ['exit code 0 is a pass', {}, 'passed', ''],
    ['any other is a failure', { exitCode: 7 }, 'failed', 'exit code 7'],
    [
      'exit code 0 is no pass when the kernel reported a lockup',
      { trouble: 'lockup', firstLine: 'BUG: soft lockup' },
      'lockup',
      "BUG: soft lockup (the command's exit code was 0)",
    ],
    [
      'a panic ends the command',
      { trouble: 'panic', firstLine: 'Oops: 0000', exitCode: undefined },
      'panic',
      'Oops: 0000 (the command did not end)',
    ],
    ['a hang', { stopped: 'timeout', exitCode: undefined }, 'timed out', 'no end within 90 s'],
    [
      'a hang that the kernel explains',
      { stopped: 'timeout', exitCode: undefined, trouble: 'lockup', firstLine: 'rcu stall' },
      'lockup',
      'rcu stall (the command did not end)',
    ],
    [
      'a machine that says nothing',
      { started: false, exitCode: undefined, stopped: 'boot timeout' },
      'not booted',
      'the machine did not come up (nothing happened within 60 s)',
    ],
    [
      'a machine that panics on the way',
      { started: false, exitCode: undefined, trouble: 'panic', firstLine: 'no root' },
      'not booted',
      'the machine did not come up (panic: no root)',
    ],
    [
      'a guest that gives up',
      { started: false, exitCode: undefined, failure: 'module x does not load' },
      'not booted',
      'the machine did not come up (module x does not load)',
    ],
    [
      'QEMU does not start',
      { started: false, exitCode: undefined, qemu: { code: 1, words: 'no memory' } },
      'not booted',
      'the machine did not come up (QEMU ended with code 1: no memory)',
    ],
    [
      'QEMU dies',
      { exitCode: undefined, qemu: { code: 139, words: '' } },
      'broken',
      'the machine stopped without a status (QEMU code 139)',
    ],
    ['the user stops it', { stopped: 'signal', exitCode: undefined }, 'interrupted', 'interrupted'],
  ] as const)('%s', ([, facts, outcome, reason]) => {
    expect(judgeMachine({ ...ended, ...facts })).toEqual({ outcome, reason });
  });

  test('a second try is for machines that broke by themselves, never for commands or kernels under test', () => {
    expect(mayRetry('not booted')).toBe(true);
    expect(mayRetry('broken')).toBe(true);
    for (const outcome of [
      'passed',
      'failed',
      'timed out',
      'panic',
      'oops',
      'lockup',
      'interrupted',
    ] as const) {
      expect(mayRetry(outcome), outcome).toBe(false);
    }
  });

  test('only a pass has exit code 0', () => {
    expect(exitCodeOf('passed', 0)).toBe(0);
    expect(exitCodeOf('failed', 7)).toBe(7);
    expect(exitCodeOf('failed', 0)).toBe(1);
    expect(exitCodeOf('lockup', 0)).toBe(125);
    expect(exitCodeOf('timed out', undefined)).toBe(124);
    expect(exitCodeOf('interrupted', undefined)).toBe(130);
    expect(exitCodeOf('unavailable', undefined)).toBe(125);
  });
});
