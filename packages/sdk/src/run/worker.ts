/** A worker thread's side of a run of many: piscina calls the default export with a job. */
import { runShares } from './engines/syscall.ts';
import { fail, failureOf, type Job, type JobFailure } from './job.ts';
import { dropOldOutputs } from './output-memory.ts';

export default function runJob(job: Job): JobFailure | undefined {
  dropOldOutputs();
  try {
    const shares = runShares(job);
    for (;;) {
      const step = shares.next();
      if (step.done === true) return step.value;
    }
  } catch (error) {
    return fail(job.state, failureOf(error));
  }
}
