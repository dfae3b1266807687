/** Descriptors: all that a load takes are given back, by close, by a failed load, and at last by the garbage collector. */
import { expect, test } from 'vitest';
import { jsonOf } from '../support/child.ts';

/** Counts the descriptors of BPF things that the process holds. */
const counting = `
const { readdirSync, readlinkSync, readFileSync } = await import('node:fs');
const open = () => readdirSync('/proc/self/fd').filter((fd) => {
  try { return readlinkSync('/proc/self/fd/' + fd).includes('bpf'); } catch { return false; }
}).length;
const inner = { outer_hash: { type: 'hash', keySizeBytes: 4, valueSizeBytes: 8, maxEntries: 3 } };
`;
const numbers = (script: string, nodeArgs: string[] = []): Promise<number[]> =>
  jsonOf<number[]>(counting + script, { nodeArgs });

test('a load holds one for each program and map, and close gives all back', async () => {
  const [before, held, after] = await numbers(`
    const before = open();
    const object = load('maps', { innerMaps: inner });
    const held = open();
    object.close();
    console.log(JSON.stringify([before, held, open()]));`);
  expect(before).toBe(0);
  expect(held).toBeGreaterThan(15);
  expect(after).toBe(0);
});

test('many loads, runs and closes leave none', async () => {
  const counts = await numbers(`
    const counts = [];
    for (let i = 0; i < 60; i++) {
      const object = load('maps', { innerMaps: inner });
      runXdp(object.program('use_maps'), new Uint8Array(64));
      const made = object.map('outer_array').createInner();
      object.map('outer_array').set(0, made);
      object.map('outer_array').get(0).close();
      made.close();
      object.close();
      if (i % 20 === 19) counts.push(open());
    }
    await closeWorkers();
    console.log(JSON.stringify([...counts, open()]));`);
  // The batch driver, which tells where a redirect goes, stays until closeWorkers.
  const [first] = counts;
  expect(counts).toEqual([first, first, first, 0]);
});

test('failed loads leave none, at whatever step they fail', async () => {
  const counts = await numbers(`
    const attempts = [
      () => load('refused'),
      () => load('maps'),
      () => load('maps', { innerMaps: inner, maxEntries: { many: 2 ** 32 - 1 } }),
      () => load('maps', { innerMaps: { outer_hash: { ...inner.outer_hash, type: 'lpm_trie' } } }),
      () => load('maps', { innerMaps: inner, variables: { nothing: 1 } }),
      () => load('maps', { innerMaps: inner, programs: { nothing: {} } }),
      () => load('sections'),
      () => load('variables', { variables: { u8: 256 } }),
      () => XdpObject.load(new Uint8Array(100)),
    ];
    const counts = attempts.map((attempt) => {
      for (let i = 0; i < 5; i++) { try { attempt(); throw new TypeError('it loaded'); } catch (error) { if (!error.code) throw error; } }
      return open();
    });
    console.log(JSON.stringify(counts));`);
  expect(counts).toEqual(counts.map(() => 0));
});

test('closing twice closes nothing that was opened in between under the same number', async () => {
  const [used, alive] = await numbers(
    `
    const { openSync, fstatSync, closeSync } = await import('node:fs');
    const object = load('maps', { innerMaps: inner });
    const map = object.map('flows');
    map.close();
    object.close();
    const files = Array.from({ length: 40 }, () => openSync('/dev/null', 'r'));
    map.close();
    object.close();
    map[Symbol.dispose]?.();
    globalThis.gc();
    await new Promise(setImmediate);
    const alive = files.filter((fd) => { try { return fstatSync(fd); } catch { return false; } }).length;
    files.forEach((fd) => closeSync(fd));
    console.log(JSON.stringify([files.length, alive]));`,
    ['--expose-gc'],
  );
  expect(alive).toBe(used);
});

test('an object that is only forgotten is closed by the garbage collector', async () => {
  const [held, left] = await numbers(
    `
    (() => { for (let i = 0; i < 5; i++) load('maps', { innerMaps: inner }); })();
    const held = open();
    for (let i = 0; i < 20 && open() > 0; i++) { globalThis.gc(); await new Promise((r) => setTimeout(r, 10)); }
    console.log(JSON.stringify([held, open()]));`,
    ['--expose-gc'],
  );
  expect(held).toBeGreaterThan(50);
  expect(left).toBe(0);
});

test('a program that is still held keeps nothing but itself, and runs', async () => {
  const [verdict] = await numbers(
    `
    let program = (() => load('actions').program('tx'))();
    for (let i = 0; i < 5; i++) { globalThis.gc(); await new Promise((r) => setTimeout(r, 5)); }
    console.log(JSON.stringify([runXdp(program, new Uint8Array(64)).verdict]));`,
    ['--expose-gc'],
  );
  expect(verdict).toBe(3);
});

test('running, repeating and running many leave none but the batch driver’s, which closeWorkers gives back', async () => {
  const [none, after] = await numbers(`
    const object = load('actions');
    const packets = Array.from({ length: 100 }, () => new Uint8Array(64));
    runXdp(object.program('pass'), packets[0], { repeat: 100_000 });
    const none = open();
    for (let i = 0; i < 5; i++) await runMany(object.program('pass'), packets, { workers: 2 });
    object.close();
    await closeWorkers();
    console.log(JSON.stringify([none, open()]));`);
  expect(none).toBeGreaterThan(0);
  expect(after).toBe(0);
});
