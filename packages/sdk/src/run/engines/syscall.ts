/** The syscall engine: BPF_PROG_TEST_RUN with repeat 1 for each packet, in native slices. Works everywhere. */
import { native } from '../../native.ts';
import type { ShareRunner } from '../shares.ts';

/** Runs a slice of single calls; see {@link ShareRunner}. */
export const runSyscallSlice: ShareRunner = (job, slice) => {
  const result = native().testRunSlice({ ...slice, program: job.program });
  return result.errno === 0 ? result : { ...result, failure: { packet: result.next, errno: result.errno } };
};
