/** The syscall engine: BPF_PROG_TEST_RUN with repeat 1 for each packet, in native slices. Works everywhere. */
import { native } from '../../native.ts';
import { OutputArena } from '../columns.ts';
import { fail, type Job, type JobFailure, STATE } from '../job.ts';
import { noteOutputs } from '../output-memory.ts';

/**
 * Takes shares of the job until there are none left, somebody says stop, or a call fails. Yields after each slice, so
 * that a thread with an event loop can look after it.
 */
export function* runShares(job: Job): Generator<undefined, JobFailure | undefined> {
  const { input, columns, state, share } = job;
  const total = input.lengths.length;
  const arena = job.arena === undefined ? undefined : new OutputArena(job.arena);
  let piece = { start: 0, end: 0 };
  while (Atomics.load(state, STATE.stop) === 0) {
    const from = Atomics.add(state, STATE.next, share);
    if (from >= total) break;
    const to = Math.min(total, from + share);
    for (let next = from; next < to; ) {
      if (Atomics.load(state, STATE.stop) !== 0) break;
      if (arena !== undefined && piece.end - piece.start < job.roomBytes) piece = arena.take();
      const slice = native().testRunSlice({
        program: job.program,
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
      if (slice.errno !== 0) return fail(state, { packet: next, errno: slice.errno });
      yield undefined;
    }
  }
  if (arena !== undefined) noteOutputs(arena.view().byteLength);
  return undefined;
}
