/** runMany: up to millions of packets through a program, in native slices and over worker threads where that pays. */
import { XdpError } from '../errors.ts';
import { probeKernel, type TestRunLimits, testRunLimits } from '../kernel/index.ts';
import { native } from '../native.ts';
import { programHandle, type XdpProgram } from '../object/index.ts';
import { type BatchSupport, batchSupport } from './batch-support.ts';
import { checkContext, checkProgram } from './checks.ts';
import { allocateColumns, OutputArena } from './columns.ts';
import { DRIVER } from './engines/driver-limits.ts';
import { execute } from './execute.ts';
import { checkSizes, collectPackets, type PacketSource, type RunInput, throwIfAborted } from './input.ts';
import { type Job, newJobState, STATE } from './job.ts';
import { dropOldOutputs } from './output-memory.ts';
import { planRun, type RunPlan } from './plan.ts';
import { RunResults } from './results.ts';
import { checkOptions, type RunManyOptions } from './run-many-options.ts';
import { measureBaseline } from './timing.ts';
import { verifyShare } from './verify.ts';

/** Packets that a thread takes at once: small enough that threads end together, large enough to cost nothing. */
const SHARE = 16_384;
/** What a program can put in front of a packet, and behind one of full length: a frame of one page holds no more. */
const GROWTH_BYTES = 576;

/**
 * Runs many packets through a program; results come in the order of the packets.
 *
 * Packets become one contiguous batch; a {@link PacketBatch} is used in place, and varied packets are made by the
 * threads that run them. All packets are checked before the first one runs. State that the program keeps in maps
 * carries over from packet to packet, in the order of the input with one worker, and in no fixed order with several.
 *
 * @throws XdpError as {@link runXdp}; `XDP_ABORTED` with `completed`; `XDP_BATCH_TOO_LARGE`, `XDP_ENGINE_UNAVAILABLE`,
 *   `XDP_VERIFY_MISMATCH`, `XDP_WORKER_FAILED`
 */
export async function runMany(
  program: XdpProgram,
  packets: PacketSource,
  options?: RunManyOptions,
): Promise<RunResults> {
  checkProgram('runMany', program);
  const checked = checkOptions(options);
  throwIfAborted(checked.signal);
  const limits = testRunLimits();
  const context = checkContext('runMany', checked.context, limits);
  // A descriptor of this run's own: closing the object meanwhile does no harm.
  const handle = native().duplicate(programHandle(program));
  if (typeof handle === 'number') {
    throw new XdpError('XDP_CLOSED', `runMany: program ${program.name} was closed`);
  }
  try {
    const input = await collectPackets(packets, checked.signal);
    throwIfAborted(checked.signal);
    const largestBytes = checkSizes(input, program, limits);
    const support = checked.engine === 'syscall' ? undefined : batchSupport(program, handle);
    const plan = makePlan(input, largestBytes, checked, support);
    dropOldOutputs();
    const job = makeJob(native().handleNumber(handle), input, plan, checked, support, limits, {
      ...context,
      largestBytes,
      redirects: program.mayRedirect,
    });
    const baselineNs = checked.timing === true ? measureBaseline(job) : 0;
    const started = process.hrtime.bigint();
    await execute(job, plan, program, checked);
    const results = new RunResults({
      columns: job.columns,
      bytes: job.arena === undefined ? undefined : new OutputArena(job.arena).view(),
      plan,
      retries: Atomics.load(job.state, STATE.retries),
      elapsedNs: Number(process.hrtime.bigint() - started),
      program,
      baselineNs,
      memory: ownMemory(job),
    });
    if (checked.verify !== undefined) await verifyShare(job, results, plan, program, checked.verify);
    return results;
  } finally {
    native().closeHandle(handle);
  }
}

/** The memory that belongs to this run alone: not that of a batch, which is the caller's. */
function ownMemory({ columns, arena, recipe, input }: Job): SharedArrayBuffer[] {
  const arrays = [...Object.values(columns), ...(recipe === undefined ? [] : Object.values(input))];
  const buffers = arrays
    .filter((array) => array !== undefined)
    .map(({ buffer }) => buffer as SharedArrayBuffer);
  return arena === undefined ? buffers : [...buffers, arena.buffer];
}

function makePlan(
  input: RunInput,
  largestBytes: number,
  options: RunManyOptions,
  support: BatchSupport | undefined,
): RunPlan {
  const { engine = 'auto', timing = false, workers } = options;
  const batchRefused = support !== undefined && 'refused' in support ? support.refused : undefined;
  if ((engine === 'batch' || timing) && batchRefused !== undefined) {
    throw new XdpError(
      'XDP_ENGINE_UNAVAILABLE',
      `runMany: the batch engine cannot run this: ${batchRefused}`,
    );
  }
  return planRun(
    {
      runs: input.length,
      distinct: true,
      largestBytes,
      outputs: options.outputs ?? 'packets',
      ...(workers === undefined ? {} : { workers }),
      engine,
      ...(batchRefused === undefined ? {} : { batchRefused }),
    },
    probeKernel(),
  );
}

function makeJob(
  program: number,
  input: RunInput,
  plan: RunPlan,
  options: RunManyOptions,
  support: BatchSupport | undefined,
  limits: TestRunLimits,
  more: { ingressIfindex: number; rxQueue: number; largestBytes: number; redirects: boolean },
): Job {
  const batch =
    plan.engine === 'batch' && support !== undefined && 'flavour' in support ? support : undefined;
  const longest = more.largestBytes > limits.maxLinearBytes ? limits.maxPacketBytes : limits.maxLinearBytes;
  const longestOutput = longest + GROWTH_BYTES;
  // The driver hands over the outputs of one call in one piece.
  const roomBytes = Math.max(
    longestOutput,
    batch ? Math.min(DRIVER.outputBytes, input.length * longestOutput) : 0,
  );
  const arena = options.outputs === 'verdicts' ? undefined : OutputArena.allocate(input.length, roomBytes);
  return {
    program,
    engine: plan.engine,
    flavour: batch?.flavour ?? { attachType: 'xdp', frags: false },
    driverFlags:
      (options.timing ? DRIVER.flags.time : 0) |
      (options.headroom === 'stale' ? DRIVER.flags.staleHead : 0) |
      (more.redirects ? DRIVER.flags.redirects : 0),
    input: { bytes: input.bytes, offsets: input.offsets, lengths: input.lengths },
    recipe: input.recipe,
    columns: allocateColumns(input.length, {
      timing: options.timing ?? false,
      redirects: more.redirects && batch?.driver.tellsRedirects === true,
    }),
    arena: arena?.parts,
    roomBytes,
    state: newJobState(),
    share: SHARE,
    sliceNs: plan.sliceMs * 1e6,
    ingressIfindex: more.ingressIfindex,
    rxQueue: more.rxQueue,
    useContext: limits.context,
  };
}
