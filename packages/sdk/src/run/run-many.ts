/** runMany: up to millions of packets through a program, in native slices and over worker threads where that pays. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describeValue, expectInteger, expectOptions, invalidArgument, XdpError } from '../errors.ts';
import { probeKernel, testRunLimits } from '../kernel/index.ts';
import { native } from '../native.ts';
import { programHandle, type XdpProgram } from '../object/index.ts';
import type { PacketBatch } from '../packet/index.ts';
import { checkContext, checkProgram, type RunContext } from './checks.ts';
import { allocateColumns, OutputArena } from './columns.ts';
import { runShares } from './engines/syscall.ts';
import { checkSizes, collectPackets, type PacketSource, throwIfAborted } from './input.ts';
import { fail, failureOf, type Job, type JobFailure, newJobState, STATE } from './job.ts';
import { dropOldOutputs } from './output-memory.ts';
import { park } from './parking.ts';
import { type EngineName, planRun, type RunPlan } from './plan.ts';
import { runInWorkers } from './pool.ts';
import { RunResults } from './results.ts';
import { runError } from './run-xdp.ts';

/** How far a run has come. */
export interface RunProgress {
  readonly completed: number;
  readonly total: number;
}

/** Options of {@link runMany}. */
export interface RunManyOptions {
  /** `packets` (the default) keeps the bytes that come out; `verdicts` only verdicts and lengths. */
  readonly outputs?: 'packets' | 'verdicts';
  /** Threads that run packets, the calling one among them. Default: as many as pay, see `plan`. */
  readonly workers?: number;
  /** Forces an engine; an error where that one cannot work. Default: the best that can. */
  readonly engine?: 'auto' | EngineName;
  /** What the program sees beside each packet; kernel 5.15. */
  readonly context?: RunContext;
  /** Stops the run at the end of a slice, some 30 ms later at most, with `XDP_ABORTED`. */
  readonly signal?: AbortSignal;
  /** Called now and then, and once at the end. */
  readonly onProgress?: (progress: RunProgress) => void;
}

const known = ['outputs', 'workers', 'engine', 'context', 'signal', 'onProgress'] as const;
const PROGRESS_MS = 50;
/** Packets that a thread takes at once: some 20 ms of single calls. */
const SHARE = 16_384;
/** What the kernel's headroom lets a program put in front of a packet. */
const HEADROOM_BYTES = 256;

/**
 * Runs many packets through a program; results come in the order of the packets.
 *
 * Packets become one contiguous {@link PacketBatch}; a batch that is one already is used in place. All packets are
 * checked before the first one runs. State that the program keeps in maps carries over from packet to packet, in the
 * order of the input with one worker, and in no fixed order with several.
 *
 * @throws XdpError as {@link runXdp}; `XDP_ABORTED` with `completed`; `XDP_BATCH_TOO_LARGE`, `XDP_ENGINE_UNAVAILABLE`,
 *   `XDP_WORKER_FAILED`
 */
export async function runMany(
  program: XdpProgram,
  packets: PacketSource,
  options?: RunManyOptions,
): Promise<RunResults> {
  checkProgram('runMany', program);
  const checked = checkOptions(options);
  const { signal } = checked;
  throwIfAborted(signal);
  const limits = testRunLimits();
  const context = checkContext('runMany', checked.context, limits);
  // A descriptor of this run's own: closing the object meanwhile does no harm.
  const handle = native().duplicate(programHandle(program));
  if (typeof handle === 'number')
    throw new XdpError('XDP_CLOSED', `runMany: program ${program.name} was closed`);
  try {
    const batch = await collectPackets(packets, signal);
    throwIfAborted(signal);
    const largestBytes = checkSizes(batch, program, limits);
    const outputs = checked.outputs ?? 'packets';
    const plan = planRun(
      {
        runs: batch.length,
        distinct: true,
        largestBytes,
        outputs,
        ...(checked.workers === undefined ? {} : { workers: checked.workers }),
        engine: checked.engine ?? 'auto',
        batchRefused: 'not built yet',
      },
      probeKernel(),
    );
    dropOldOutputs();
    const longestOutput =
      largestBytes > limits.maxLinearBytes ? limits.maxPacketBytes : limits.maxLinearBytes;
    const arena =
      outputs === 'packets'
        ? OutputArena.allocate(batch.length, longestOutput + HEADROOM_BYTES + 320)
        : undefined;
    const columns = allocateColumns(batch.length);
    const job: Job = {
      program: native().handleNumber(handle),
      input: { bytes: batch.bytes, offsets: batch.offsets, lengths: batch.lengths },
      columns,
      arena: arena?.parts,
      roomBytes: longestOutput + HEADROOM_BYTES + 320,
      state: newJobState(),
      share: SHARE,
      sliceNs: plan.sliceMs * 1e6,
      ...context,
      useContext: limits.context,
    };
    const started = process.hrtime.bigint();
    await execute(job, batch, plan, program, checked);
    return new RunResults({
      columns,
      bytes: arena?.view(),
      plan,
      retries: Atomics.load(job.state, STATE.retries),
      elapsedNs: Number(process.hrtime.bigint() - started),
    });
  } finally {
    native().closeHandle(handle);
  }
}

function checkOptions(options: RunManyOptions | undefined): RunManyOptions {
  const checked = expectOptions('runMany', options, known);
  const { outputs, workers, engine, signal, onProgress } = checked;
  if (outputs !== undefined && outputs !== 'packets' && outputs !== 'verdicts') {
    throw invalidArgument(`runMany: outputs must be 'packets' or 'verdicts', got ${describeValue(outputs)}`);
  }
  if (engine !== undefined && engine !== 'auto' && engine !== 'batch' && engine !== 'syscall') {
    throw invalidArgument(
      `runMany: engine must be 'auto', 'batch' or 'syscall', got ${describeValue(engine)}`,
    );
  }
  if (workers !== undefined) expectInteger('runMany: workers', workers, 1, 256);
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw invalidArgument(`runMany: signal must be an AbortSignal, got ${describeValue(signal)}`);
  }
  if (onProgress !== undefined && typeof onProgress !== 'function') {
    throw invalidArgument(`runMany: onProgress must be a function, got ${describeValue(onProgress)}`);
  }
  return checked;
}

/** Runs a job to its end, on this thread and on workers. */
async function execute(
  job: Job,
  batch: PacketBatch,
  plan: RunPlan,
  program: XdpProgram,
  options: RunManyOptions,
): Promise<void> {
  const { signal, onProgress } = options;
  const { state } = job;
  const stop = (): void => {
    Atomics.store(state, STATE.stop, 1);
  };
  const report = (): void =>
    onProgress?.({ completed: Atomics.load(state, STATE.done), total: batch.length });
  signal?.addEventListener('abort', stop);
  const parked = plan.parked && plan.engine === 'syscall' ? park(program) : undefined;
  const timer = onProgress === undefined ? undefined : setInterval(report, PROGRESS_MS);
  try {
    const others = plan.workers > 1 ? runInWorkers(job, plan.workers - 1) : Promise.resolve([]);
    const own = await runHere(job);
    const failure = [own, ...(await others)].find((one) => one !== undefined);
    if (failure !== undefined) throw jobError(failure, job, program);
    const completed = Atomics.load(state, STATE.done);
    if (signal?.aborted === true && completed < batch.length) {
      throw new XdpError('XDP_ABORTED', `runMany: aborted after ${completed} of ${batch.length} packets`, {
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
  try {
    const shares = runShares(job);
    for (;;) {
      const step = shares.next();
      if (step.done === true) return step.value;
      await nextTurn();
    }
  } catch (error) {
    return fail(job.state, failureOf(error));
  }
}

function jobError(failure: JobFailure, job: Job, program: XdpProgram): XdpError {
  if ('code' in failure) return new XdpError(failure.code, failure.message);
  const context = { ingressIfindex: job.ingressIfindex, rxQueue: job.rxQueue };
  return runError(`runMany: packet ${failure.packet}`, { program, context }, failure.errno, 0);
}
