/** Bad input of the methods of maps: an error with a stable code before the kernel is asked, never a crash. */
import { describe, expect, test } from 'vitest';
import type { XdpObject } from 'xdptest';
import { thrownBy } from '../support/errors.ts';
import { load } from '../support/objects.ts';

const inner = { type: 'hash', keySizeBytes: 4, valueSizeBytes: 8, maxEntries: 3 } as const;
const maps = (): XdpObject => load('maps', { innerMaps: { outer_hash: inner } });
const strange = [
  undefined,
  null,
  'x',
  {},
  [],
  1.5,
  Number.NaN,
  -1,
  2 ** 32,
  2n ** 64n,
  true,
  Symbol('x'),
  () => {},
];

describe('a key that is none', () => {
  test.each(strange.map((value) => [value]))('%o is refused by every method that takes one', (key) => {
    const many = maps().map('many');
    for (const call of [
      () => many.get(key as never),
      () => many.has(key as never),
      () => many.set(key as never, 1n),
      () => many.setMany([[key as never, 1n]]),
      () => many.delete(key as never),
    ]) {
      const error = thrownBy(call);
      expect(error.code).toBe('XDP_VALUE_INVALID');
      expect(error.message).toContain('map many');
      expect(error.syscall).toBeUndefined();
    }
    expect(many.keys()).toEqual([]);
  });
});

describe('a value that is none', () => {
  const values = strange.filter(
    (value) => !(typeof value === 'number' && Number.isSafeInteger(value) && value >= 0),
  );
  test.each(values.map((value) => [value]))('%o is refused by every method that takes one', (value) => {
    const object = maps();
    for (const call of [
      () => object.map('many').set(1, value as never),
      () => object.map('many').setMany([[1, value as never]]),
      () => object.map('fifo').push(value as never),
    ]) {
      const error = thrownBy(call);
      expect(error.code).toBe('XDP_VALUE_INVALID');
      expect(error.syscall).toBeUndefined();
    }
    expect(object.map('many').keys()).toEqual([]);
    expect(object.map('fifo').pop()).toBeUndefined();
  });
});

test.each([undefined, null, 5, {}, 'ab', [5], [null], [[1]], [[1, 2n, 3]], ['ab']].map((value) => [value]))(
  'setMany refuses %o, and writes nothing',
  (entries) => {
    const many = maps().map('many');
    const error = thrownBy(() => many.setMany(entries as never));
    expect(['XDP_INVALID_ARGUMENT', 'XDP_VALUE_INVALID']).toContain(error.code);
    expect(error.syscall).toBeUndefined();
    expect(many.keys()).toEqual([]);
  },
);

test('setMany checks all entries before it writes the first one', () => {
  const many = maps().map('many');
  expect(
    thrownBy(() =>
      many.setMany([
        [1, 1n],
        [2, 'two' as never],
      ]),
    ).code,
  ).toBe('XDP_VALUE_INVALID');
  expect(many.keys()).toEqual([]);
});

test('setMany passes an error of the iterable on, and writes nothing', () => {
  const many = maps().map('many');
  const broken = function* (): Generator<[number, bigint]> {
    yield [1, 1n];
    throw new RangeError('broken');
  };
  expect(() => many.setMany(broken())).toThrow(RangeError);
  expect(many.keys()).toEqual([]);
});

test.each(
  [5, null, [], { modus: 'any' }, { mode: 'new' }, { mode: 1 }, { mode: 'toString' }].map((value) => [value]),
)('set refuses the options %o', (options) => {
  const error = thrownBy(() =>
    maps()
      .map('many')
      .set(1, 1n, options as never),
  );
  expect(error.code).toBe('XDP_INVALID_ARGUMENT');
});

test.each(
  [5, null, [], { entries: 1 }, { maxEntries: 0 }, { maxEntries: 1.5 }, { maxEntries: 2 ** 32 }].map(
    (value) => [value],
  ),
)('createInner refuses the options %o', (options) => {
  const error = thrownBy(() =>
    maps()
      .map('outer_array')
      .createInner(options as never),
  );
  expect(error.code).toBe('XDP_INVALID_ARGUMENT');
});
