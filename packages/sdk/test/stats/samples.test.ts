import { describe, expect, test } from 'vitest';
import { geometricMean, mannWhitneyU, median, percentile } from 'xdptest/stats';

const invalid = expect.objectContaining({ code: 'XDP_INVALID_ARGUMENT' });

describe('order statistics', () => {
  test('median and percentiles interpolate as R and NumPy do', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([10, 1, 2, 3])).toBe(2.5);
    expect(percentile([15, 20, 35, 40, 50], 40)).toBeCloseTo(29, 12);
    expect(percentile([1, 2, 3, 4], 0)).toBe(1);
    expect(percentile([1, 2, 3, 4], 100)).toBe(4);
    expect(percentile(Uint32Array.of(100, 9, 20), 50)).toBe(20);
  });

  test('leaves the values in their order', () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });

  test('the geometric mean does not overflow', () => {
    expect(geometricMean([1, 100])).toBeCloseTo(10, 12);
    expect(geometricMean(new Float64Array(1000).fill(1e300)) / 1e300).toBeCloseTo(1, 9);
  });

  test('refuses nothing, NaN and what has no such value', () => {
    expect(() => median([])).toThrow(invalid);
    expect(() => median([1, Number.NaN])).toThrow(invalid);
    expect(() => percentile([1], 101)).toThrow(invalid);
    expect(() => geometricMean([1, 0])).toThrow(invalid);
    expect(() => mannWhitneyU([], [1])).toThrow(invalid);
  });
});

/** Every way of choosing which values belong to the first sample: what the exact test must agree with. */
function byEnumeration(a: number[], b: number[]): number {
  const all = [...a, ...b];
  const wins = (first: number[], second: number[]) =>
    first.reduce((sum, x) => sum + second.reduce((s, y) => s + (x > y ? 1 : x === y ? 0.5 : 0), 0), 0);
  const observed = wins(a, b);
  let below = 0;
  let above = 0;
  let total = 0;
  for (let mask = 0; mask < 1 << all.length; mask++) {
    const first = all.filter((_, i) => (mask >> i) & 1);
    if (first.length !== a.length) continue;
    const u = wins(
      first,
      all.filter((_, i) => !((mask >> i) & 1)),
    );
    total++;
    if (u <= observed) below++;
    if (u >= observed) above++;
  }
  return Math.min(1, (2 * Math.min(below, above)) / total);
}

describe('mannWhitneyU', () => {
  test('counts pairs', () => {
    expect(mannWhitneyU([4, 5, 6], [1, 2, 5]).u).toBe(2 + 2.5 + 3);
  });

  test('agrees with an enumeration of all orders, with and without ties', () => {
    const samples: [number[], number[]][] = [
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
      [
        [1, 5, 9, 12],
        [2, 3, 4, 20, 21],
      ],
      [
        [1, 1, 2, 2],
        [2, 2, 3],
      ],
      [
        [5, 5, 5],
        [5, 5, 5],
      ],
      [
        [1.5, 2.5, 2.5, 9],
        [2.5, 7, 7, 8, 9.5],
      ],
      [[3], [1, 2, 4, 5, 6, 7]],
    ];
    for (const [a, b] of samples) {
      const result = mannWhitneyU(a, b);
      expect(result.method).toBe('exact');
      expect(result.pValue).toBeCloseTo(byEnumeration(a, b), 12);
    }
  });

  test('ten runs that do not overlap: 2 / C(20, 10)', () => {
    const slow = Array.from({ length: 10 }, (_, i) => 200 + i);
    const fast = Array.from({ length: 10 }, (_, i) => 100 + i);
    expect(mannWhitneyU(fast, slow)).toEqual({ u: 0, pValue: 2 / 184756, method: 'exact' });
  });

  test('the approximation for large samples continues the exact one', () => {
    const a = Array.from({ length: 25 }, (_, i) => (i * 7) % 40);
    const b = Array.from({ length: 25 }, (_, i) => ((i * 11) % 40) + 6);
    const exact = mannWhitneyU(a, b);
    expect(exact.method).toBe('exact');
    const approximate = mannWhitneyU(a, [...b, 21.5]);
    expect(approximate.method).toBe('normal');
    expect(Math.abs(approximate.pValue - exact.pValue)).toBeLessThan(0.03);
    const same = new Float64Array(40).fill(3);
    expect(mannWhitneyU(same, same).pValue).toBe(1);
  });
});
