/** The statistics work on any system, a browser too: they import nothing but themselves and the errors. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const room = new URL('../../src/stats/', import.meta.url);
const files = readdirSync(room);

test('the room has files', () => {
  expect(files).toContain('distribution.ts');
});

test.for(files)('%s imports only its own room and the errors, and uses no global of Node', (name) => {
  const source = readFileSync(new URL(name, room), 'utf8');
  for (const [, specifier] of source.matchAll(/(?:\bfrom |^import |\bimport\()'([^']+)'\)?;$/gm)) {
    expect(specifier).toMatch(/^(\.\/[a-z-]+\.ts|\.\.\/errors\.ts)$/);
  }
  expect(source).not.toMatch(/\b(Buffer|process|require|setImmediate)\b[.(]/);
});
