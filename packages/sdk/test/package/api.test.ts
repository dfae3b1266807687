/** The public API, compared with what was agreed: a change of it is a change of these files, for a reviewer to see. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { apiOf } from './api.ts';

const api = apiOf(fileURLToPath(new URL('../..', import.meta.url)));
const fileOf = (entry: string) => `${entry === '.' ? 'index' : entry.slice(2).replaceAll('/', '-')}.txt`;

test.for([...api])('%s', async ([entry, text]) => {
  await expect(text).toMatchFileSnapshot(`api/${fileOf(entry)}`);
});

test('there is no file for an entry that is gone', () => {
  const files = readdirSync(fileURLToPath(new URL('api', import.meta.url)));
  expect(files.toSorted()).toEqual([...api.keys()].map(fileOf).toSorted());
});
