/** What a failure looks like: the whole output of a suite in which every matcher fails, read and found good. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readCaptureSync } from 'xdptest/packet';
import { missing } from '../support/missing.ts';
import { runVitest, sample, stable } from './support/run-vitest.ts';

test('every matcher says what was wrong, with the packet and where its capture is', async ({ skip }) => {
  skip(missing.redirects !== undefined, missing.redirects);
  const { code, stdout, stderr } = await runVitest(['matchers.sample.ts']);
  expect(code).toBe(1);
  await expect(stable(`${stdout}\n${stderr}`)).toMatchFileSnapshot('matchers.txt');

  const capture = join(sample, '.xdptest', 'TestVerdicts-toPass.pcapng');
  expect(existsSync(capture)).toBe(true);
  const [before, after] = [...readCaptureSync(readFileSync(capture))];
  expect(before?.comments).toEqual(['in']);
  expect(after?.comments).toEqual(['out']);
  expect(after?.verdict).toMatchObject({ kind: 'xdp', value: 3n });
  expect(before?.bytes.at(22)).toBe(64);
  expect(after?.bytes.at(22)).toBe(63);
});
