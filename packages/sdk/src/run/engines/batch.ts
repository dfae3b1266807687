/**
 * The batch engine: one BPF_PROG_TEST_RUN for many distinct packets, through the batch driver (native/bpf/driver.bpf.c).
 * Packets that the driver cannot take (too long for its buffer, or too short) run by single calls, in their place.
 */
import { XdpError } from '../../errors.ts';
import { native } from '../../native.ts';
import type { Job } from '../job.ts';
import type { ShareRunner } from '../shares.ts';
import { BatchDriver, batchDriver } from './driver.ts';
import { fitsDriver } from './driver-limits.ts';
import { runSyscallSlice } from './syscall.ts';

/** This thread's driver, aimed at the job's program. */
function aimedDriver(job: Job): BatchDriver {
  const driver = batchDriver(job.flavour);
  if (!(driver instanceof BatchDriver)) throw new XdpError('XDP_ENGINE_UNAVAILABLE', driver.refused);
  driver.aim(job.program, job.state);
  return driver;
}

/** Runs a slice through the driver; see {@link ShareRunner}. */
export const runBatchSlice: ShareRunner = (job, slice) => {
  const { lengths } = slice;
  const fits = fitsDriver(lengths[slice.from]!);
  let to = slice.from + 1;
  while (to < slice.to && fitsDriver(lengths[to]!) === fits) to++;
  if (!fits) return runSyscallSlice(job, { ...slice, to });
  const { columns } = job;
  const driver = aimedDriver(job);
  const result = native().batchRunSlice({
    ...slice,
    to,
    driver: driver.program,
    memory: driver.memory,
    flags: job.driverFlags,
    ns: columns.ns,
    redirectTargets: columns.redirectTargets,
    redirectMaps: columns.redirectMaps,
  });
  if (result.errno !== 0) return { ...result, failure: { packet: result.next, errno: result.errno } };
  if (result.driverError === 0) return result;
  return {
    ...result,
    failure: {
      code: 'XDP_ENGINE_UNAVAILABLE',
      message: `the batch driver gave up at packet ${result.next} (step ${result.driverError} of native/bpf/driver.h): run it with engine: 'syscall', and please report this`,
    },
  };
};

/** Lets go of the job's program: the driver must not keep it alive. */
export function releaseDriver(job: Job): void {
  const driver = batchDriver(job.flavour);
  if (driver instanceof BatchDriver) driver.release(job.state);
}
