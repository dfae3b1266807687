/** What became of a run on a kernel: pure judgement, apart from the running. */
import type { KernelTrouble } from './console.ts';

/**
 * - `passed`, `failed`: the command ended, and its exit code says which.
 * - `timed out`: the command did not end in time; a hang is one of these.
 * - `panic`, `oops`, `lockup`: the kernel reported it on its console while the command ran, whatever the exit code.
 * - `not booted`: the kernel never came so far as to start the command.
 * - `broken`: the machine stopped while the command ran, and the kernel said nothing.
 * - `unavailable`: the kernel could not be found or fetched, or lacks what was asked of it.
 * - `interrupted`: the caller stopped it.
 */
export type Outcome =
  | 'passed'
  | 'failed'
  | 'timed out'
  | KernelTrouble
  | 'not booted'
  | 'broken'
  | 'unavailable'
  | 'interrupted';

/** What a machine left behind. */
export interface MachineFacts {
  /** Who ended it before its time. */
  readonly stopped: 'boot timeout' | 'timeout' | 'signal' | undefined;
  readonly started: boolean;
  readonly exitCode: number | undefined;
  /** Why the guest itself gave up. */
  readonly failure: string | undefined;
  /** The worst that the kernel reported, and the line that it reported first: a panic's own may say little. */
  readonly trouble: KernelTrouble | undefined;
  readonly firstLine: string;
  readonly bootTimeoutMs: number;
  readonly timeoutMs: number;
  /** QEMU's exit code and last words. */
  readonly qemu: { readonly code: number; readonly words: string };
}

export interface Judgement {
  readonly outcome: Outcome;
  /** One line on why it is no pass; empty for a pass. */
  readonly reason: string;
}

/** Judges a run in a machine. A report of the kernel outweighs an exit code. */
export function judgeMachine(facts: MachineFacts): Judgement {
  const { trouble, exitCode } = facts;
  if (facts.stopped === 'signal') return { outcome: 'interrupted', reason: 'interrupted' };
  if (!facts.started) {
    const why =
      facts.failure ??
      (trouble === undefined ? undefined : `${trouble}: ${facts.firstLine}`) ??
      (facts.stopped === 'boot timeout'
        ? `nothing happened within ${facts.bootTimeoutMs / 1000} s`
        : `QEMU ended with code ${facts.qemu.code}${facts.qemu.words === '' ? '' : `: ${facts.qemu.words}`}`);
    return { outcome: 'not booted', reason: `the machine did not come up (${why})` };
  }
  if (trouble !== undefined) {
    const code =
      exitCode === undefined ? 'the command did not end' : `the command's exit code was ${exitCode}`;
    return { outcome: trouble, reason: `${facts.firstLine} (${code})` };
  }
  if (exitCode === 0) return { outcome: 'passed', reason: '' };
  if (exitCode !== undefined) return { outcome: 'failed', reason: `exit code ${exitCode}` };
  if (facts.stopped === 'timeout') {
    return { outcome: 'timed out', reason: `no end within ${facts.timeoutMs / 1000} s` };
  }
  const words = facts.qemu.words === '' ? '' : `: ${facts.qemu.words}`;
  return {
    outcome: 'broken',
    reason: `the machine stopped without a status (QEMU code ${facts.qemu.code})${words}`,
  };
}

/**
 * May it be tried once more? Only when the machine broke by itself: before the command ran, or without a word of the
 * kernel. A panic under a test is the test's result, not an accident to be hidden by a second try.
 */
export function mayRetry(outcome: Outcome): boolean {
  return outcome === 'not booted' || outcome === 'broken';
}

/** The exit code that stands for an outcome, in the way of timeout(1) and the shell. */
export function exitCodeOf(outcome: Outcome, exitCode: number | undefined): number {
  if (outcome === 'passed') return 0;
  if (outcome === 'failed') return exitCode === undefined || exitCode === 0 ? 1 : exitCode;
  if (outcome === 'timed out') return 124;
  if (outcome === 'interrupted') return 130;
  return 125;
}
