/** One thread's part of a run: it takes shares of the packets until there are none left. */
import type { NativeSlice } from '../native.ts';
import { VariedPackets } from '../packet/index.ts';
import { OutputArena } from './columns.ts';
import { releaseDriver, runBatchSlice } from './engines/batch.ts';
import { runSyscallSlice } from './engines/syscall.ts';
import { fail, failureOf, type Job, type JobFailure, STATE } from './job.ts';
import { noteOutputs } from './output-memory.ts';

/** What became of one slice. */
export interface SliceResult {
  /** The first packet that has not run. */
  readonly next: number;
  readonly outPosition: number;
  readonly retries: number;
  readonly failure?: JobFailure;
}

/** How an engine runs packets [from, to): as many as fit into the slice's time and the room for outputs. */
export type ShareRunner = (job: Job, slice: Omit<NativeSlice, 'program'>) => SliceResult;

/**
 * Takes shares of the job until there are none left, somebody says stop, or a run fails; gives back the failure. Yields
 * after each slice, so that a thread with an event loop can look after it.
 */
export function* runShares(job: Job): Generator<undefined, JobFailure | undefined> {
  const arena = job.arena === undefined ? undefined : new OutputArena(job.arena);
  try {
    return yield* takeShares(job, job.engine === 'batch' ? runBatchSlice : runSyscallSlice, arena);
  } catch (error) {
    return fail(job.state, failureOf(error));
  } finally {
    if (job.engine === 'batch') releaseDriver(job);
    if (arena !== undefined && job.arena?.reused === false) noteOutputs(arena.view().byteLength);
  }
}

function* takeShares(
  job: Job,
  run: ShareRunner,
  arena: OutputArena | undefined,
): Generator<undefined, JobFailure | undefined> {
  const { input, columns, state, share } = job;
  const total = input.lengths.length;
  const varied = job.recipe === undefined ? undefined : VariedPackets.fromRecipe(job.recipe);
  let piece = { start: 0, end: 0 };
  while (Atomics.load(state, STATE.stop) === 0) {
    const from = Atomics.add(state, STATE.next, share);
    if (from >= total) break;
    const to = Math.min(total, from + share);
    varied?.fill(input.bytes, input.offsets, input.lengths, from, to);
    for (let next = from; next < to; ) {
      if (Atomics.load(state, STATE.stop) !== 0) break;
      if (arena !== undefined && piece.end - piece.start < job.roomBytes) piece = arena.take();
      const slice = run(job, {
        bytes: input.bytes,
        offsets: input.offsets,
        lengths: input.lengths,
        verdicts: columns.verdicts,
        outLengths: columns.lengths,
        outOffsets: columns.offsets,
        outMetadata: columns.metadataLengths,
        outBytes: arena?.view(),
        outPosition: piece.start,
        outEnd: piece.end,
        outRoom: job.roomBytes,
        from: next,
        to,
        sliceNs: job.sliceNs,
        ingressIfindex: job.ingressIfindex,
        rxQueue: job.rxQueue,
        useContext: job.useContext ? 1 : 0,
      });
      piece = { start: slice.outPosition, end: piece.end };
      Atomics.add(state, STATE.done, slice.next - next);
      Atomics.add(state, STATE.retries, slice.retries);
      next = slice.next;
      if (slice.failure !== undefined) return fail(state, slice.failure);
      yield undefined;
    }
  }
  return undefined;
}
