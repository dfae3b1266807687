/** A table of 10,000 one-packet cases: all of them run, and the line printed here tells what one costs. */
import { expect, test } from 'vitest';
import { patience } from '../support/emulation.ts';
import { runVitest } from './support/run-vitest.ts';

/** Microseconds of CPU time a case, as the sample prints them. */
async function usACase(file: string): Promise<number> {
  const { code, stdout } = await runVitest([file]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/10000 passed/);
  return Number(/([\d.]+) us a case/.exec(stdout)?.[1]);
}

test('10,000 one-packet cases pass, beside as many empty tests', { timeout: patience(120_000) }, async () => {
  // No limit on the time: machines are busy. Run this file alone to read the figure.
  const difference = (await usACase('table.sample.ts')) - (await usACase('empty.sample.ts'));
  console.log(`${difference.toFixed(1)} us of CPU time a case over an empty test`);
});
