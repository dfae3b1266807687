import { describe, expect, test } from 'vitest';
import { chiSquareUpperTail } from 'xdptest/stats';
import { exactChiSquareTail } from '../support/gamma-exact.ts';

/** The chi-square value whose tail is about `p`, by bisection on the function under test. */
function quantile(p: number, degreesOfFreedom: number): number {
  let low = 0;
  let high = degreesOfFreedom + 400 + 60 * Math.sqrt(degreesOfFreedom);
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (chiSquareUpperTail(middle, degreesOfFreedom) > p) low = middle;
    else high = middle;
  }
  return low;
}

describe('chiSquareUpperTail', () => {
  const tails = [0.999999, 0.99, 0.7, 0.5, 0.3, 0.05, 1e-3, 1e-6, 1e-12, 1e-20, 1e-30];
  test.for([1, 2, 3, 4, 5, 7, 10, 31, 32, 63, 99, 127, 128, 255, 999, 1000, 4095])(
    'agrees with arbitrary precision to 1e-12 down to p = 1e-30, %d degrees of freedom',
    (degreesOfFreedom) => {
      for (const p of tails) {
        const chiSquare = quantile(p, degreesOfFreedom);
        const exact = exactChiSquareTail(chiSquare, degreesOfFreedom);
        expect(exact, 'the bisection found the tail that was asked for').toBeCloseTo(p, 5);
        const error = Math.abs(chiSquareUpperTail(chiSquare, degreesOfFreedom) / exact - 1);
        expect(error, `p = ${p}, chi-square = ${chiSquare}`).toBeLessThan(1e-12);
      }
    },
  );

  test('agrees around the switch from the series to the continued fraction', () => {
    for (const degreesOfFreedom of [1, 2, 5, 50, 501, 2048]) {
      for (const step of [-2, -1e-9, 0, 1e-9, 1, 2, 3]) {
        const chiSquare = Math.max(0, degreesOfFreedom + 2 + step);
        const exact = exactChiSquareTail(chiSquare, degreesOfFreedom);
        expect(Math.abs(chiSquareUpperTail(chiSquare, degreesOfFreedom) / exact - 1)).toBeLessThan(1e-12);
      }
    }
  });

  test('agrees for 16384 categories', () => {
    for (const p of [0.5, 1e-30]) {
      const chiSquare = quantile(p, 16383);
      const exact = exactChiSquareTail(chiSquare, 16383);
      expect(Math.abs(chiSquareUpperTail(chiSquare, 16383) / exact - 1), `p = ${p}`).toBeLessThan(1e-12);
    }
  });

  test('has values that tables print', () => {
    expect(chiSquareUpperTail(3.841458820694124, 1)).toBeCloseTo(0.05, 12);
    expect(chiSquareUpperTail(18.307038053275146, 10)).toBeCloseTo(0.05, 12);
    expect(chiSquareUpperTail(2 * Math.log(1e30), 2) / 1e-30).toBeCloseTo(1, 12);
    expect(chiSquareUpperTail(0, 7)).toBe(1);
    expect(chiSquareUpperTail(Number.POSITIVE_INFINITY, 7)).toBe(0);
  });

  test('is 0 only where a double has nothing smaller left', () => {
    expect(chiSquareUpperTail(1400, 2)).toBeCloseTo(Math.exp(-700), 310);
    expect(chiSquareUpperTail(1400, 2)).toBeGreaterThan(0);
    expect(chiSquareUpperTail(2000, 2)).toBe(0);
  });

  test.for([
    [-1, 3],
    [Number.NaN, 3],
    [1, 0],
    [1, Number.NaN],
    [1, Number.POSITIVE_INFINITY],
  ])('refuses chiSquare %d with %d degrees of freedom', ([chiSquare, degreesOfFreedom]) => {
    expect(() => chiSquareUpperTail(chiSquare!, degreesOfFreedom!)).toThrow(
      expect.objectContaining({ code: 'XDP_INVALID_ARGUMENT' }),
    );
  });
});
