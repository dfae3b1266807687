/** Damaged BTF, made by hand: each of these would hang, overflow the stack or ask for terabytes. */

import { expect, test } from 'vitest';
import type { NativeType } from '#dist/native.js';
import { checkTypes } from '#dist/object/check-types.js';
import { thrownBy } from '../support/errors.ts';

const int: NativeType = { kind: 'int', name: '__u32', size: 4, bits: 32, encoding: 0 };
const member = (type: number, bitOffset = 0, bitSize = 0) => ({ name: 'm', type, bitOffset, bitSize });
/** Index 0 is void: a hole. */
const table = (...types: NativeType[]): NativeType[] => {
  const list: NativeType[] = [];
  types.forEach((type, i) => {
    list[i + 1] = type;
  });
  return list;
};

test.each<[string, NativeType[], string]>([
  ['a typedef of itself', table({ kind: 'typedef', name: 't', type: 1 }), 'contains itself'],
  [
    'two modifiers of each other',
    table({ kind: 'modifier', name: '', type: 2 }, { kind: 'modifier', name: '', type: 1 }),
    'contains itself',
  ],
  ['an array of itself', table({ kind: 'array', name: '', type: 1, count: 2 }), 'contains itself'],
  [
    'a struct in itself',
    table({ kind: 'struct', name: 's', size: 4, members: [member(1)] }),
    'contains itself',
  ],
  [
    'a member beyond the end',
    table(int, { kind: 'struct', name: 's', size: 4, members: [member(1, 16)] }),
    'beyond its 4 bytes',
  ],
  [
    'a bitfield beyond the end',
    table(int, { kind: 'struct', name: 's', size: 4, members: [member(1, 30, 3)] }),
    'beyond its 4 bytes',
  ],
  ['a type that is not there', table({ kind: 'typedef', name: 't', type: 9 }), 'no such type'],
  ['an integer of 3 bytes', table({ ...int, size: 3 }), '3 bytes'],
  [
    'an array of arrays without end',
    table(
      int,
      ...Array.from(
        { length: 3 },
        (_, i): NativeType => ({ kind: 'array', name: '', type: i + 1, count: 2 ** 31 }),
      ),
    ),
    'larger than any memory',
  ],
  [
    'a variable larger than its section says',
    table(int, { kind: 'section', name: '.bss', size: 8, variables: [{ type: 1, offset: 0, size: 8 }] }),
    'does not fit',
  ],
])('%s is refused', (_, types, words) => {
  const error = thrownBy(() => checkTypes(types));
  expect(error.code).toBe('XDP_OBJECT_INVALID');
  expect(error.message).toContain(words);
});

test('what compilers make passes: pointers to oneself, flexible arrays, bitfields, symbols of the kernel', () => {
  checkTypes(
    table(
      int,
      { kind: 'struct', name: 'list', size: 8, members: [member(3)] },
      { kind: 'pointer', name: '', type: 2 },
      { kind: 'array', name: '', type: 1, count: 0 },
      { kind: 'struct', name: 'flexible', size: 4, members: [member(1, 0), member(4, 32)] },
      { kind: 'struct', name: 'bits', size: 4, members: [member(1, 0, 3), member(1, 3, 29)] },
      { kind: 'int', name: 'old bitfield', size: 4, bits: 3, encoding: 0 },
      { kind: 'struct', name: 'old', size: 4, members: [member(7, 29)] },
      { kind: 'section', name: '.ksyms', size: 0, variables: [{ type: 1, offset: 0, size: 0 }] },
    ),
  );
});
