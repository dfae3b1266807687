import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errorCodes } from 'xdptest';

test('docs/errors.md lists every code, with its meaning, and no other', () => {
  const text = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| `(XDP_\w+)` +\| (.*?) *\|$/gm)].map(([, code, meaning]) => [
    code,
    meaning,
  ]);
  expect(Object.fromEntries(rows)).toEqual(errorCodes);
  expect(rows).toHaveLength(Object.keys(errorCodes).length);
});
