/** What the cases of a suite cost in CPU time; see table.test.ts. */
import { afterAll, beforeAll } from 'vitest';

export const CASES = Array.from({ length: 10_000 }, (_, i) => i);

/** Prints it at the end of the suite that calls this, before what the suite has put in order for its end until then. */
export function tellCpuPerCase(): void {
  let started = process.cpuUsage();
  beforeAll(() => {
    started = process.cpuUsage();
  });
  afterAll(() => {
    const { user, system } = process.cpuUsage(started);
    console.log(`${((user + system) / CASES.length).toFixed(2)} us a case`);
  });
}
