/** A worker thread's side of a run of many: piscina calls the default export with a job. */
import type { Job, JobFailure } from './job.ts';
import { dropOldOutputs } from './output-memory.ts';
import { runShares } from './shares.ts';

export default function runJob(job: Job): JobFailure | undefined {
  dropOldOutputs();
  const shares = runShares(job);
  for (;;) {
    const step = shares.next();
    if (step.done === true) return step.value;
  }
}
