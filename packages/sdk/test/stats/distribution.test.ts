import { describe, expect, test } from 'vitest';
import { distribution } from 'xdptest/stats';

const invalid = expect.objectContaining({ code: 'XDP_INVALID_ARGUMENT' });

describe('distribution', () => {
  test('has the figures that can be worked out by hand', () => {
    const d = distribution({ a: 30, b: 50, c: 40 });
    expect(d).toMatchObject({
      n: 120,
      k: 3,
      mean: 40,
      min: 30,
      max: 50,
      degreesOfFreedom: 2,
      minExpected: 40,
    });
    expect(d.stdDev).toBeCloseTo(Math.sqrt(200 / 3), 12);
    expect(d.cv).toBeCloseTo(Math.sqrt(200 / 3) / 40, 12);
    expect(d.expectedCv).toBeCloseTo(Math.sqrt(2 / 120), 12);
    expect(d.minShare).toBe(0.25);
    expect(d.maxShare).toBeCloseTo(5 / 12, 15);
    expect(d.chiSquare).toBeCloseTo(5, 12);
    expect(d.pValue).toBeCloseTo(Math.exp(-2.5), 12);
    expect(d.counts.map(({ label, count, expected }) => [label, count, expected])).toEqual([
      ['a', 30, 40],
      ['b', 50, 40],
      ['c', 40, 40],
    ]);
    expect(d.counts[1]!.z).toBeCloseTo(10 / Math.sqrt(40 * (2 / 3)), 12);
  });

  test('takes a Map, an array, a typed array, a record and counters of 64 bits alike', () => {
    const expected = distribution([10, 20, 30]).chiSquare;
    expect(distribution(Uint32Array.of(10, 20, 30)).chiSquare).toBe(expected);
    expect(distribution(BigUint64Array.of(10n, 20n, 30n)).chiSquare).toBe(expected);
    expect(distribution({ x: 10, y: 20, z: 30 }).chiSquare).toBe(expected);
    const byAddress = distribution(
      new Map([
        ['10.1.0.1', 10],
        ['10.1.0.2', 20],
        ['10.1.0.3', 30],
      ]),
    );
    expect(byAddress.chiSquare).toBe(expected);
    expect(byAddress.counts[2]!.key).toBe('10.1.0.3');
    const byStruct = distribution(new Map([[{ addr: '10.1.0.1', port: 80n }, 1]]));
    expect(byStruct.counts[0]!.label).toBe('{"addr":"10.1.0.1","port":"80"}');
  });

  test('weights change what is expected, and cv measures the distance from that', () => {
    const d = distribution({ small: 100, large: 300 }, { expected: { small: 1, large: 3 } });
    expect(d).toMatchObject({ chiSquare: 0, cv: 0, pValue: 1 });
    const off = distribution({ small: 110, large: 290 }, { expected: { small: 0.25, large: 0.75 } });
    expect(off.chiSquare).toBeCloseTo(1 + 1 / 3, 12);
    expect(off.cv).toBeCloseTo(Math.sqrt(0.25 * 0.1 ** 2 + 0.75 * (1 / 30) ** 2), 12);
    const even = distribution([90, 110, 95], { expected: [2, 2, 2] });
    expect(even.cv).toBeCloseTo(even.stdDev / even.mean, 12);
  });

  test('a backend without a single packet is seen when it is known to exist', () => {
    const counts = new Map([
      ['a', 100],
      ['b', 100],
    ]);
    expect(distribution(counts).pValue).toBe(1);
    for (const among of [3, ['a', 'b', 'c']]) {
      const d = distribution(counts, { among });
      expect(d).toMatchObject({ n: 200, k: 3, min: 0, degreesOfFreedom: 2 });
      expect(d.pValue).toBeLessThan(1e-20);
    }
    expect(
      distribution(counts, {
        expected: new Map([
          ['a', 1],
          ['b', 1],
          ['c', 1],
        ]),
      }).min,
    ).toBe(0);
  });

  test('a category that nobody expected is an error, not a row', () => {
    expect(() => distribution({ a: 1, x: 3 }, { among: ['a', 'b'] })).toThrow(
      /x was counted 3 times, but is not one of the 2 in `among`/,
    );
    expect(() => distribution({ a: 1, x: 3 }, { expected: { a: 1, b: 1 } })).toThrow(/x was counted 3 times/);
    expect(() => distribution([1, 1, 1], { among: 2 })).toThrow(invalid);
    expect(() => distribution([1, 1, 1], { among: 4, expected: [1, 1, 1] })).toThrow(invalid);
  });

  test('an expected share of 0 allows no packet at all', () => {
    const none = distribution({ a: 10, b: 12, drained: 0 }, { expected: { a: 1, b: 1, drained: 0 } });
    expect(none).toMatchObject({ degreesOfFreedom: 1, k: 3 });
    expect(none.counts[2]!.z).toBe(0);
    const some = distribution({ a: 10, b: 12, drained: 1 }, { expected: { a: 1, b: 1, drained: 0 } });
    expect(some).toMatchObject({ chiSquare: Number.POSITIVE_INFINITY, pValue: 0 });
  });

  test('one category is no surprise', () => {
    expect(distribution([7])).toMatchObject({ k: 1, cv: 0, degreesOfFreedom: 0, pValue: 1 });
  });

  test('what chance allows is what chance does: uniform draws give p-values that are uniform', () => {
    let state = 1n;
    const next = () => {
      state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffff_ffff_ffff_ffffn;
      return Number(state >> 40n) / 2 ** 24;
    };
    const rounds = 400;
    const deciles = new Uint32Array(10);
    let cv = 0;
    for (let round = 0; round < rounds; round++) {
      const counts = new Uint32Array(32);
      for (let i = 0; i < 3200; i++) counts[Math.floor(next() * 32)]!++;
      const d = distribution(counts);
      deciles[Math.min(9, Math.floor(d.pValue * 10))]!++;
      cv += d.cv / rounds / d.expectedCv;
    }
    expect(distribution(deciles).pValue).toBeGreaterThan(1e-4);
    expect(cv).toBeGreaterThan(0.96);
    expect(cv).toBeLessThan(1.02);
  });

  test('is frozen', () => {
    const d = distribution([1, 2]);
    expect(Object.isFrozen(d) && Object.isFrozen(d.counts) && Object.isFrozen(d.counts[0])).toBe(true);
  });

  test.for<[string, unknown, object?]>([
    ['no categories', []],
    ['only zeros', [0, 0]],
    ['a negative count', [1, -1]],
    ['a fraction', [1.5]],
    ['a counter too large for a number', [2n ** 60n]],
    ['not counts', 'abc'],
    ['a Set', new Set([1])],
    ['only weights of 0', [0, 0], { expected: [0, 0] }],
    ['a negative weight', [1, 1], { expected: [1, -1] }],
    ['an unknown option', [1], { weights: [1] }],
  ])('refuses %s', ([, counts, options]) => {
    expect(() => distribution(counts as number[], options)).toThrow(invalid);
  });
});
