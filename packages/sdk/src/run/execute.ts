/** Runs a job to its end, on this thread and on workers. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { XdpError } from '../errors.ts';
import { native } from '../native.ts';
import type { XdpProgram } from '../object/index.ts';
import { type Job, type JobFailure, STATE } from './job.ts';
import { park } from './parking.ts';
import type { RunPlan } from './plan.ts';
import { runInWorkers } from './pool.ts';
import type { RunManyOptions } from './run-many-options.ts';
import { runError } from './run-xdp.ts';
import { runShares } from './shares.ts';

const PROGRESS_MS = 50;

/** Resolves when all packets have run. Rejects with the first failure, or with `XDP_ABORTED`. */
export async function execute(
  job: Job,
  plan: RunPlan,
  program: XdpProgram,
  options: Pick<RunManyOptions, 'signal' | 'onProgress'>,
): Promise<void> {
  const { signal, onProgress } = options;
  const { state } = job;
  const total = job.input.lengths.length;
  const stop = (): void => {
    Atomics.store(state, STATE.stop, 1);
  };
  const report = (): void => onProgress?.({ completed: Atomics.load(state, STATE.done), total });
  signal?.addEventListener('abort', stop);
  const parked = plan.parked && plan.engine === 'syscall' ? park(job.program) : undefined;
  let thrown: { readonly error: unknown } | undefined;
  // An error of the caller's function ends the run and is the run's; thrown from a timer it would end the process.
  const reportSafely = (): void => {
    try {
      report();
    } catch (error) {
      thrown ??= { error };
      stop();
    }
  };
  const timer = onProgress === undefined ? undefined : setInterval(reportSafely, PROGRESS_MS);
  try {
    const others = plan.workers > 1 ? runInWorkers(job, plan.workers - 1) : Promise.resolve([]);
    const own = await runHere(job);
    const failure = [own, ...(await others)].find((one) => one !== undefined);
    if (thrown !== undefined) throw thrown.error;
    if (failure !== undefined) throw jobError(failure, job, program);
    const completed = Atomics.load(state, STATE.done);
    if (signal?.aborted === true && completed < total) {
      throw new XdpError('XDP_ABORTED', `runMany: aborted after ${completed} of ${total} packets`, {
        completed,
        cause: signal.reason,
      });
    }
    report();
  } finally {
    signal?.removeEventListener('abort', stop);
    clearInterval(timer);
    if (parked !== undefined && !('refused' in parked)) native().closeHandle(parked);
  }
}

/** This thread's part: between slices the event loop gets its turn, which is when an abort arrives. */
async function runHere(job: Job): Promise<JobFailure | undefined> {
  const shares = runShares(job);
  for (;;) {
    const step = shares.next();
    if (step.done === true) return step.value;
    await nextTurn();
  }
}

function jobError(failure: JobFailure, job: Job, program: XdpProgram): XdpError {
  if ('code' in failure) return new XdpError(failure.code, failure.message);
  const context = { ingressIfindex: job.ingressIfindex, rxQueue: job.rxQueue };
  return runError(`runMany: packet ${failure.packet}`, { program, context }, failure.errno, 0);
}
