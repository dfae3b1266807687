import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type LoadOptions, runXdp, XdpObject } from 'xdptest';
import { compileBpf } from '#dist/gen/index.js';

const { path } = await compileBpf(fileURLToPath(new URL('../gen/kinds.bpf.c', import.meta.url)), {
  cacheDir: fileURLToPath(new URL('../../node_modules/.cache/xdptest', import.meta.url)),
});

/** Without the program in xdp.frags, which not every kernel has. */
const load = (options: LoadOptions = {}): XdpObject =>
  XdpObject.load(path, { programs: { second: { autoload: false } }, ...options });

const key = (port: number) => ({ addr: '192.0.2.1', port, proto: 17 });

test('a restore brings back entries, values and variables, and removes what is new', () => {
  using object = load();
  const { vips, hits, all } = object.maps;
  vips!.set(key(1), { id: 1 }).set(key(2), { id: 2 });
  const clean = object.snapshot();
  const everything = all!.get(0);

  vips!.delete(key(1));
  vips!.set(key(2), { id: 22 }).set(key(3), { id: 3 });
  all!.set(0, { large: 5n });
  runXdp(object.programs.first!, new Uint8Array(64));
  object.variables.gateway = 0x0a000001;
  expect(object.variables.packets).toBe(1n);

  object.restore(clean);
  expect(vips!.keys()).toHaveLength(2);
  expect(vips!.get(key(1))).toMatchObject({ id: 1 });
  expect(vips!.get(key(2))).toMatchObject({ id: 2 });
  expect(vips!.get(key(3))).toBeUndefined();
  expect(all!.get(0)).toEqual(everything);
  expect(hits!.sum(0)).toBe(0n);
  expect(object.variables.packets).toBe(0n);
  expect(object.variables.gateway).toBe(0);
});

test('a snapshot can be restored again and again', () => {
  using object = load();
  const clean = object.snapshot();
  for (let round = 0; round < 3; round++) {
    runXdp(object.programs.first!, new Uint8Array(64));
    expect(object.variables.packets).toBe(1n);
    object.restore(clean);
  }
});

test('queues are emptied', () => {
  using object = load();
  const { vips, hits, waiting } = object.maps;
  // The way of the program to the queue leads past both lookups.
  vips!.set({ addr: 0 }, { id: 1 });
  const clean = object.snapshot();
  runXdp(object.programs.first!, new Uint8Array(64));
  expect(waiting!.pop()).toBeDefined();
  runXdp(object.programs.first!, new Uint8Array(64));
  object.restore(clean);
  expect(waiting!.pop()).toBeUndefined();
  expect(vips!.keys()).toHaveLength(1);
  expect(hits!.keys()).toHaveLength(4);
});

test('the variables that are const stay as they were loaded', () => {
  using object = load({ variables: { backend_count: 9 } });
  object.restore(object.snapshot());
  expect(object.variables.backend_count).toBe(9);
});

test('a snapshot belongs to its object, and closed objects have none', () => {
  using one = load();
  const other = load();
  const snapshot = other.snapshot();
  expect(() => one.restore(snapshot)).toThrow('expected a snapshot of this very object');
  other.close();
  expect(() => other.restore(snapshot)).toThrow('was closed');
  expect(() => other.snapshot()).toThrow('was closed');
});
