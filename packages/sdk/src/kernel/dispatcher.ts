/**
 * Does a test run rewrite the XDP dispatcher here? Kernels from 5.6 on do it at every call (f23c4b3924d2), newer ones
 * only when repeat is above 1 (de21d8bf7772, in 5.17), and distributions backport: so this measures, and never looks
 * at a version number. kernel/bpf/dispatcher.c is what is measured.
 */
import { type Native, type NativeHandle, type NativeTiming, native } from '../native.ts';
import { bareProgram } from './limits.ts';
import { RewriteCounter } from './rewrites.ts';
import { errnoName, systemError } from './system-error.ts';

/** What test runs do to the dispatcher. */
export type DispatcherState =
  /** This architecture or configuration has none, or it costs nothing: every repeat is cheap. */
  | 'absent'
  /** Repeat 1 leaves it alone; any higher repeat rewrites it, unless the program is parked. */
  | 'bypassed'
  /** Every call rewrites it, unless the program is parked. */
  | 'always';

/** What the probe saw. Times are medians in nanoseconds. */
export interface DispatcherEvidence {
  /** Which kind of evidence decided: the first that could be had, in this order. */
  readonly decidedBy: 'rewrites' | 'timing' | 'voluntary-switches' | 'assumption';
  /** Rewrites a call of a program that is not parked, counted by an fentry program on bpf_dispatcher_change_prog. */
  readonly rewrites: { readonly repeat1: number; readonly repeat2: number } | undefined;
  /** Why rewrites could not be counted. */
  readonly rewritesRefused: string | undefined;
  /** Sleeps a call (ru_nvcsw): two for each rewriting call where the kernel waits for RCU in it. */
  readonly voluntarySwitches: { readonly repeat1: number; readonly repeat2: number };
  readonly unparkedNs: { readonly repeat1: number; readonly repeat2: number };
  /** The same calls while the program is parked; undefined where parking is refused. */
  readonly parkedNs: { readonly repeat1: number; readonly repeat2: number } | undefined;
  /** Why the program could not be parked. */
  readonly parkingRefused: string | undefined;
}

export interface DispatcherFacts {
  readonly state: DispatcherState;
  /** The state and its evidence in words. */
  readonly reason: string;
  /** What one rewriting call costs more than one that does not rewrite; 0 when the dispatcher is absent. */
  readonly rewriteNs: number;
  /** What a call with repeat 1 costs that rewrites nothing. */
  readonly callNs: number;
  /** What each further run of a higher repeat costs, for an empty program. */
  readonly repeatNs: number;
  /** From how many runs of one packet on a single unparked call with that repeat beats as many calls. */
  readonly breakEvenRuns: number;
  readonly evidence: DispatcherEvidence;
}

/** A rewrite makes a call at least this many times slower: 19 on Debian's 5.10, 10,000 on 6.18. */
const SLOW = 4;
/** Long enough for its runs to be seen beside the rewriting of one call. */
const LONG_REPEAT = 1_000_000;

export function probeDispatcher(addon: Native = native()): DispatcherFacts {
  const program = bareProgram(addon, false, 2);
  try {
    return decide(measure(addon, program));
  } finally {
    addon.closeHandle(program);
  }
}

/** What the probe measures before anything is concluded from it. Exported for tests. */
export interface DispatcherMeasurements extends Omit<DispatcherEvidence, 'decidedBy'> {
  /** What each further run of a higher repeat costs, for an empty program. */
  readonly repeatNs: number;
}

function measure(addon: Native, program: NativeHandle): DispatcherMeasurements {
  const time = (repeat: number, calls: number): NativeTiming => {
    const timing = addon.testRunTimed(program, repeat, calls, 250e6);
    if (timing.errno !== 0) throw systemError('timing test runs', 'BPF_PROG_TEST_RUN', timing.errno);
    return timing;
  };
  const counted = countRewrites(addon, program);
  time(1, 20); // warms up
  const one = time(1, 200);
  const two = time(2, 3);
  const parked = addon.park(program);
  let parkedNs: DispatcherEvidence['parkedNs'];
  let repeatNs: number;
  if (typeof parked === 'number') {
    repeatNs = (time(LONG_REPEAT, 1).medianNs - two.medianNs) / LONG_REPEAT;
  } else {
    parkedNs = { repeat1: time(1, 200).medianNs, repeat2: time(2, 200).medianNs };
    repeatNs = (time(LONG_REPEAT / 10, 5).medianNs - parkedNs.repeat2) / (LONG_REPEAT / 10);
    addon.closeHandle(parked);
  }
  const perCall = ({ voluntarySwitches, calls }: NativeTiming): number =>
    voluntarySwitches / Math.max(calls, 1);
  return {
    rewrites: typeof counted === 'string' ? undefined : counted,
    rewritesRefused: typeof counted === 'string' ? counted : undefined,
    voluntarySwitches: { repeat1: perCall(one), repeat2: perCall(two) },
    unparkedNs: { repeat1: one.medianNs, repeat2: two.medianNs },
    parkedNs,
    parkingRefused: typeof parked === 'number' ? errnoName(-parked) : undefined,
    repeatNs: Math.max(1, repeatNs),
  };
}

/** Rewrites a call at repeat 1 and 2, or why they cannot be counted. */
function countRewrites(addon: Native, program: NativeHandle): { repeat1: number; repeat2: number } | string {
  const counter = RewriteCounter.open(addon);
  if (!(counter instanceof RewriteCounter)) return counter.refused;
  const rewritesOf = (repeat: number, calls: number): number => {
    const before = counter.count;
    const timing = addon.testRunTimed(program, repeat, calls, 1e9);
    return (counter.count - before) / Math.max(timing.calls, 1);
  };
  try {
    return { repeat1: rewritesOf(1, 50), repeat2: rewritesOf(2, 4) };
  } finally {
    counter.close();
  }
}

/** From measurements to facts. Pure; exported for tests. */
export function decide(measured: DispatcherMeasurements): DispatcherFacts {
  const { repeatNs, ...rest } = measured;
  const { state, decidedBy } = stateOf(measured);
  const { unparkedNs, parkedNs } = measured;
  const callNs = parkedNs?.repeat1 ?? unparkedNs.repeat1;
  const rewriteNs =
    state === 'absent' ? 0 : Math.max(0, unparkedNs.repeat2 - (parkedNs?.repeat2 ?? unparkedNs.repeat1));
  const singleNs = state === 'always' ? callNs + rewriteNs : callNs;
  const breakEvenRuns = Math.max(2, Math.ceil((rewriteNs + callNs) / Math.max(singleNs - repeatNs, 1)));
  const evidence: DispatcherEvidence = { decidedBy, ...rest };
  return { state, reason: inWords(state, evidence), rewriteNs, callNs, repeatNs, breakEvenRuns, evidence };
}

function stateOf(m: DispatcherMeasurements): {
  state: DispatcherState;
  decidedBy: DispatcherEvidence['decidedBy'];
} {
  const conclude = (first: boolean, second: boolean): DispatcherState =>
    first ? 'always' : second ? 'bypassed' : 'absent';
  if (m.rewrites !== undefined) {
    return { state: conclude(m.rewrites.repeat1 >= 1, m.rewrites.repeat2 >= 1), decidedBy: 'rewrites' };
  }
  const { unparkedNs: unparked, parkedNs: parked } = m;
  if (parked !== undefined) {
    const slow = (key: 'repeat1' | 'repeat2'): boolean => unparked[key] > SLOW * parked[key];
    return { state: conclude(slow('repeat1'), slow('repeat2')), decidedBy: 'timing' };
  }
  if (m.voluntarySwitches.repeat1 >= 1 || m.voluntarySwitches.repeat2 >= 1) {
    return {
      state: conclude(m.voluntarySwitches.repeat1 >= 1, m.voluntarySwitches.repeat2 >= 1),
      decidedBy: 'voluntary-switches',
    };
  }
  if (unparked.repeat2 > SLOW * unparked.repeat1) return { state: 'bypassed', decidedBy: 'timing' };
  // Both repeats cost the same: either no call rewrites, or every call does without sleeping. The worse is assumed.
  return { state: 'always', decidedBy: 'assumption' };
}

function inWords(state: DispatcherState, evidence: DispatcherEvidence): string {
  const what = {
    absent: 'no test run rewrites the dispatcher',
    bypassed: 'test runs with repeat 1 leave the dispatcher alone, higher repeats rewrite it',
    always: 'every test run rewrites the dispatcher: this kernel lacks the bypass',
  }[state];
  const time = (ns: number): string =>
    ns < 1e6 ? `${Number((ns / 1e3).toPrecision(2))} us` : `${Number((ns / 1e6).toPrecision(2))} ms`;
  const { rewrites, voluntarySwitches, unparkedNs, parkedNs } = evidence;
  const times =
    parkedNs === undefined
      ? `repeat 1: ${time(unparkedNs.repeat1)}, repeat 2: ${time(unparkedNs.repeat2)}`
      : `repeat 1: parked ${time(parkedNs.repeat1)}, not parked ${time(unparkedNs.repeat1)}; repeat 2: ${time(parkedNs.repeat2)} against ${time(unparkedNs.repeat2)}`;
  const by = {
    rewrites: `counted ${rewrites?.repeat1} rewrites a call at repeat 1 and ${rewrites?.repeat2} at repeat 2`,
    timing: times,
    'voluntary-switches': `${voluntarySwitches.repeat1} sleeps a call at repeat 1, ${voluntarySwitches.repeat2} at repeat 2`,
    assumption: `assumed: nothing could tell (${times}; parking refused with ${evidence.parkingRefused})`,
  }[evidence.decidedBy];
  return `${what} (${by})`;
}
