/** How many times a call with repeat 2 rewrites the dispatcher: counted where the kernel can be traced, else told by sleeps. */
import { probeKernel, type XdpProgram } from 'xdptest';
import { RewriteCounter } from '#dist/kernel/rewrites.js';
import { native } from '#dist/native.js';
import { programHandle } from '#dist/object/index.js';

const CALLS = 5;
/** Other processes may run programs too, and the count is the machine's: the least of some attempts is this one's own. */
const ATTEMPTS = 5;

export interface RewriteMeter {
  /** For one call with repeat 2: 1 or more where it rewrites, less than 1 where it does not. */
  perCall(program: XdpProgram): number;
  close(): void;
}

/** A meter, or why there is none. */
export function rewriteMeter(): RewriteMeter | string {
  return countingMeter() ?? sleepMeter() ?? 'rewrites can be neither traced nor told by sleeps here';
}

function timed(program: XdpProgram) {
  const timing = native().testRunTimed(programHandle(program), 2, CALLS, 5e9);
  if (timing.errno !== 0 || timing.calls !== CALLS) throw new Error(`test runs failed: ${timing.errno}`);
  return timing;
}

function least(measure: () => number): number {
  return Math.min(...Array.from({ length: ATTEMPTS }, measure));
}

/** Kernels from 6.1 on wait for RCU in a rewrite, which puts the thread to sleep; 5.10 does not. */
function sleepMeter(): RewriteMeter | undefined {
  if (probeKernel().dispatcher.evidence.voluntarySwitches.repeat2 < 1) return undefined;
  return {
    perCall: (program) => least(() => timed(program).voluntarySwitches / CALLS),
    close: () => {},
  };
}

function countingMeter(): RewriteMeter | undefined {
  const counter = RewriteCounter.open(native());
  if ('refused' in counter) return undefined;
  const perCall = (program: XdpProgram): number =>
    least(() => {
      const before = counter.count;
      timed(program);
      return (counter.count - before) / CALLS;
    });
  return { perCall, close: () => counter.close() };
}
