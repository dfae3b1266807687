/** Files that are no objects, and objects that are damaged: errors, never a crash. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runXdp, XdpObject } from 'xdptest';
import { jsonOf } from '../support/child.ts';
import { thrownBy } from '../support/errors.ts';
import { load, objectPath } from '../support/objects.ts';

describe('a file that is no BPF object', () => {
  test.each<[string, Uint8Array]>([
    ['empty', new Uint8Array()],
    ['one byte', new Uint8Array(1)],
    ['text', new TextEncoder().encode('int main(void) { return 0; }'.repeat(10))],
    ['zeros', new Uint8Array(4096)],
    ['an ELF header alone', readFileSync(objectPath('actions')).subarray(0, 64)],
    ['an ELF file of this machine', readFileSync(process.execPath).subarray(0, 1 << 20)],
  ])('%s', (_, bytes) => {
    const error = thrownBy(() => XdpObject.load(bytes));
    expect(error.code).toBe('XDP_OBJECT_INVALID');
    expect(error.message).toContain('clang -target bpf');
  });

  test('of the other byte order', () => {
    const bytes = new Uint8Array(readFileSync(objectPath('actions')));
    const EI_DATA = 5;
    bytes[EI_DATA] = 2;
    expect(thrownBy(() => XdpObject.load(bytes)).code).toBe('XDP_OBJECT_INVALID');
  });
});

/** Loads damaged copies in a process of its own, and counts what became of them by the code of the error. */
const count = (damage: string): string => `
const { readFileSync } = await import('node:fs');
const codes = {};
const attempt = (bytes) => {
  let code = 'loaded';
  try { XdpObject.load(bytes).close(); } catch (error) { code = error.code ?? error.stack; }
  codes[code] = (codes[code] ?? 0) + 1;
};
const whole = readFileSync(objectPath('variables'));
${damage}
console.log(JSON.stringify(codes));`;
const allowed = /^(loaded|XDP_[A-Z_]+)$/;

test('an object cut short at any place is an error', async () => {
  const codes = await jsonOf<Record<string, number>>(
    count(
      'for (let size = 0; size < whole.length; size += 37) attempt(new Uint8Array(whole.subarray(0, size)));',
    ),
  );
  expect(Object.keys(codes).filter((code) => !allowed.test(code))).toEqual([]);
  expect(codes.loaded).toBeUndefined();
});

test('an object with a damaged header or section table is an error, or loads all the same', async () => {
  // Within the bounds that libelf and libbpf check; what they do with bytes at random is theirs to answer for.
  const codes = await jsonOf<Record<string, number>>(
    count(`
const sectionTable = Number(whole.readBigUInt64LE(40));
for (const offset of [...Array(64).keys(), ...Array.from({ length: 64 }, (_, i) => sectionTable + 64 + i)]) {
  const bytes = new Uint8Array(whole);
  bytes[offset] ^= 0x41;
  attempt(bytes);
}`),
  );
  expect(Object.keys(codes).filter((code) => !allowed.test(code))).toEqual([]);
  expect(codes.XDP_OBJECT_INVALID).toBeGreaterThan(0);
});

describe('an object without BTF', () => {
  test('runs, and its variables are not there', () => {
    const object = load('plain');
    expect(runXdp(object.program('count'), new Uint8Array(64)).verdict).toBe(1);
    expect(runXdp(object.program('count'), new Uint8Array(64)).verdict).toBe(2);
    expect(Object.keys(object.variables)).toEqual([]);
  });

  test('says to compile with -g when a variable is asked for', () => {
    const error = thrownBy(() => load('plain', { variables: { counter: 1 } }));
    expect(error.code).toBe('XDP_NOT_FOUND');
    expect(error.message).toContain('compile with -g');
  });
});
