import { availableParallelism, loadavg } from 'node:os';
import { expect, test } from 'vitest';
import { runVitest } from './support/run-vitest.ts';

const LIMIT_US = 20;

async function usACase(file: string): Promise<number> {
  const { code, stdout } = await runVitest([file]);
  expect(code).toBe(0);
  return Number(/([\d.]+) us a case/.exec(stdout)?.[1]);
}

test('10,000 one-packet cases cost less than 20 us each over as many empty tests', {
  timeout: 120_000,
}, async ({ skip }) => {
  const seen: number[] = [];
  for (let attempt = 0; attempt < 5; attempt++) {
    const difference = (await usACase('table.sample.ts')) - (await usACase('empty.sample.ts'));
    seen.push(difference);
    if (difference < LIMIT_US) break;
  }
  const best = Math.min(...seen);
  console.log(`${seen.map((us) => us.toFixed(1)).join(', ')} us of CPU time a case over an empty test`);
  const [load = 0] = loadavg();
  if (best >= LIMIT_US && load > availableParallelism()) {
    skip(`the machine is busy (load ${load.toFixed(1)}): ${best.toFixed(1)} us a case says nothing`);
  }
  expect(best).toBeLessThan(LIMIT_US);
});
