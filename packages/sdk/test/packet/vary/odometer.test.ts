import { describe, expect, test } from 'vitest';
import { digitsOf, fillPositions, positionAt } from '#dist/packet/vary/odometer.js';

const systems = [
  [5],
  [1],
  [1, 1],
  [2, 2],
  [4, 2],
  [2, 4],
  [3, 5],
  [6, 4],
  [4, 6, 10],
  [2, 3, 4, 5],
  [8, 8, 8],
  [7, 1, 7],
  [12, 18, 5, 2],
  [2, 4, 8, 16],
];

describe.each(systems.map((sizes) => [sizes]))('fields of %j values', (sizes) => {
  const { digits, combinations } = digitsOf(sizes);
  const at = (index: number) => digits.map((digit) => positionAt(digit, index));

  test('every combination comes once before any comes again, and then in the same order', () => {
    const product = sizes.reduce((a, b) => a * b, 1);
    expect(combinations).toBe(product);
    const seen = new Set(Array.from({ length: product }, (_, i) => at(i).join()));
    expect(seen.size).toBe(product);
    for (let i = 0; i < product; i++) expect(at(i + product)).toEqual(at(i));
  });

  test('every field moves from packet to packet', () => {
    for (let i = 0; i + 1 < combinations; i++) {
      at(i).forEach((position, d) => {
        // Moving on by two may come round to the same one of two values, and a new cycle may start with the last value.
        if (sizes[d]! > 2 && (i + 1) % digits[d]!.cycle !== 0) expect(at(i + 1)[d]).not.toBe(position);
      });
    }
  });

  test('counting on from anywhere is the same as looking up', () => {
    const column = new Float64Array(50);
    for (const start of [0, 1, 7, combinations - 1, combinations, 3 * combinations + 2]) {
      digits.forEach((digit, d) => {
        fillPositions(digit, start, 50, column);
        expect([...column]).toEqual(Array.from({ length: 50 }, (_, j) => at(start + j)[d]));
      });
    }
  });
});

test('sizes beyond all packets neither overflow nor wrap', () => {
  const { digits, combinations } = digitsOf([2 ** 32, 65_536, Number.MAX_SAFE_INTEGER, 256]);
  expect(combinations).toBe(Number.POSITIVE_INFINITY);
  expect(digits.map((digit) => positionAt(digit, 2 ** 32 - 2))).toEqual([
    2 ** 32 - 2,
    65_534,
    2 ** 32 - 2,
    254,
  ]);
});
