/** Holds docs/architecture.md true: who may import whom, by which door, and never in a circle. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const source = fileURLToPath(new URL('../src', import.meta.url));

const core = ['errors', 'native', 'kernel', 'object', 'packet', 'run'];
/** What each room may import. A new room is a new line here, and in docs/architecture.md. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  native: ['errors'],
  kernel: ['errors', 'native'],
  packet: ['errors'],
  stats: ['errors'],
  'fast-check': ['errors', 'packet'],
  object: ['errors', 'native', 'kernel', 'packet'],
  run: ['errors', 'native', 'kernel', 'object', 'packet'],
  gen: ['errors'],
  live: core,
  bench: [...core, 'stats'],
  vm: ['errors'],
  vitest: [...core, 'gen', 'stats', 'bench', 'live', 'vm'],
  cli: [...core, 'gen', 'stats', 'bench', 'live', 'vitest', 'vm'],
  index: [...core, 'bench'],
};
/** Rooms that work in a browser. */
const pure = ['errors', 'packet', 'stats'];

interface Import {
  readonly file: string;
  readonly from: string;
  /** Whether the import is there at run time, and no mere `import type`. */
  readonly real: boolean;
}

/** A file's room: its first folder, or its own name for the files that stand alone. */
function roomOf(path: string): string {
  return path.split('/')[0]!.replace(/\.ts$/, '');
}

const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.ts'),
);
const imports: Import[] = files.flatMap((file) => {
  const text = readFileSync(join(source, file), 'utf8');
  const found = text.matchAll(
    /^(?:import|export)( type)?\b[^;]*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm,
  );
  return [...found].map(([, type, a, b, c]) => ({ file, from: (a ?? b ?? c)!, real: type === undefined }));
});
const internal = imports
  .filter(({ from }) => from.startsWith('.'))
  .map(({ file, from, real }) => ({ file, to: relative(source, resolve(source, file, '..', from)), real }));

test('there is something to look at', () => {
  expect(files.length).toBeGreaterThan(100);
  expect(internal.length).toBeGreaterThan(files.length);
  for (const { to } of internal) expect(files).toContain(to);
});

test('rooms import only what the house allows', () => {
  const wrong = internal.filter(({ file, to }) => {
    const [room, other] = [roomOf(file), roomOf(to)];
    return room !== other && !mayImport[room]?.includes(other);
  });
  expect(wrong).toEqual([]);
});

test("a room's index.ts is its only door", () => {
  const wrong = internal.filter(
    ({ file, to }) => roomOf(file) !== roomOf(to) && to.includes('/') && !/^[^/]+\/index\.ts$/.test(to),
  );
  expect(wrong).toEqual([]);
});

test('the pure rooms import nothing of Node', () => {
  const wrong = imports.filter(({ file, from }) => pure.includes(roomOf(file)) && !from.startsWith('.'));
  expect(wrong).toEqual([]);
});

test('the addon is loaded in one place', () => {
  const loaders = files.filter((file) => readFileSync(join(source, file), 'utf8').includes('createRequire'));
  expect(loaders.filter((file) => roomOf(file) !== 'vitest')).toEqual(['native.ts']);
});

test('no file imports itself by way of others', () => {
  const graph = new Map<string, string[]>(files.map((file) => [file, []]));
  for (const { file, to, real } of internal) if (real) graph.get(file)!.push(to);
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) circles.push([...path.slice(at), file].join(' > '));
    if (at >= 0 || done.has(file)) return;
    for (const next of graph.get(file)!) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  expect(circles).toEqual([]);
});
