/** The packet room works on any system, a browser too: it imports nothing of Node and nothing native. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const room = fileURLToPath(new URL('../../src/packet/', import.meta.url));
const allowed = [room, resolve(room, '../errors.ts')];
const files = readdirSync(room, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

test('the room has files', () => {
  expect(files).toContain('packet.ts');
});

test.for(files)('%s imports only its own room and the errors', (name) => {
  const path = resolve(room, name);
  const source = readFileSync(path, 'utf8');
  for (const [, specifier] of source.matchAll(/(?:\bfrom |^import |\bimport\()'([^']+)'\)?;$/gm)) {
    expect(specifier, 'a relative import').toMatch(/^\.\.?\//);
    const target = resolve(dirname(path), specifier!);
    expect(
      allowed.some((place) => target.startsWith(place)),
      `${name} imports ${relative(room, target)}`,
    ).toBe(true);
  }
});

test.for(files)('%s uses no global of Node', (name) => {
  const code = readFileSync(resolve(room, name), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\/\/.*$/gm, '')
    .replace(/'[^'\n]*'/g, "''");
  expect(code).not.toMatch(/\b(Buffer|process|require|__dirname|setImmediate|global)\b/);
});
