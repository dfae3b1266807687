/** The pool of worker threads, made at the first run that wants one and shared by all runs of this thread. */
import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { closeDrivers } from './engines/driver.ts';
import { fail, failureOf, type Job, type JobFailure } from './job.ts';

let pool: Piscina<Job, JobFailure | undefined> | undefined;

/** Workers keep for this long without work; they never keep the process alive. */
const IDLE_MS = 30_000;

/** Lets `workers` threads work at a job; resolves when all of them have stopped. Never rejects. */
export function runInWorkers(job: Job, workers: number): Promise<(JobFailure | undefined)[]> {
  pool ??= new Piscina({
    filename: new URL('./worker.js', import.meta.url).href,
    minThreads: 0,
    maxThreads: Math.max(1, availableParallelism()),
    idleTimeout: IDLE_MS,
    // The test runner's own loaders and flags are none of the workers' business.
    execArgv: [],
  });
  const current = pool;
  return Promise.all(
    Array.from({ length: workers }, () =>
      current.run(job).catch((error: unknown) => fail(job.state, failureOf(error))),
    ),
  );
}

/**
 * Ends the worker threads and this thread's batch drivers, with everything they hold in the kernel. The next run starts
 * new ones. Not while a run is under way.
 */
export async function closeWorkers(): Promise<void> {
  closeDrivers();
  const current = pool;
  pool = undefined;
  await current?.destroy();
}
