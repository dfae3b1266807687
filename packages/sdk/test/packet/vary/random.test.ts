/** The random values are random enough for what is tested with them: the spread of a hash over backends. */
import { describe, expect, test } from 'vitest';
import { eth, ipv4, packet, payload, random, udp, vary } from 'xdptest/packet';
import { distribution } from 'xdptest/stats';
import { randomBelow, randomBits } from '#dist/packet/vary/hash.js';

/** Fails by chance once in a million; with fixed seeds it always or never does. */
const ALPHA = 1e-6;
const keys = [0, 1, 2, 0x9e3779b1, 0xffffffff];

describe('randomBits', () => {
  test.each(keys)('key %i: every byte of the result is uniform', (key) => {
    for (const shift of [0, 8, 16, 24]) {
      const counts = new Uint32Array(256);
      for (let i = 0; i < 200_000; i++) counts[(randomBits(key, i) >>> shift) & 255]!++;
      const { pValue } = distribution(counts);
      expect(pValue).toBeGreaterThan(ALPHA);
      expect(pValue, 'nor more even than chance').toBeLessThan(1 - ALPHA);
    }
  });

  test.each(keys)('key %i: neighbours are independent', (key) => {
    const counts = new Uint32Array(4096);
    for (let i = 0; i < 400_000; i += 2)
      counts[((randomBits(key, i) & 63) << 6) | (randomBits(key, i + 1) & 63)]!++;
    expect(distribution(counts).pValue).toBeGreaterThan(ALPHA);
  });

  test('each bit of the index and of the key changes half of the result', () => {
    for (let bit = 0; bit < 32; bit++) {
      let byIndex = 0;
      let byKey = 0;
      for (let i = 0; i < 1000; i++) {
        const index = Math.imul(i, 2654435761) >>> 0;
        byIndex += ones(randomBits(7, index) ^ randomBits(7, (index ^ (1 << bit)) >>> 0));
        byKey += ones(randomBits(index, i) ^ randomBits((index ^ (1 << bit)) >>> 0, i));
      }
      expect(byIndex / 1000, `bit ${bit} of the index`).toBeCloseTo(16, -0.5);
      expect(byKey / 1000, `bit ${bit} of the key`).toBeCloseTo(16, -0.5);
    }
  });

  test('values come twice as often as chance has it: it is no permutation', () => {
    const draws = 400_000;
    const distinct = new Set<number>();
    for (let i = 0; i < draws; i++) distinct.add(randomBits(5, i));
    // The birthday problem: draws^2 / 2^33 = 18.6 expected, with a standard deviation of 4.3.
    expect(draws - distinct.size).toBeGreaterThan(1);
    expect(draws - distinct.size).toBeLessThan(45);
  });
});

test('randomBelow is even for sizes that are no power of two, large ones too', () => {
  for (const size of [3, 10, 1000, 3_000_000_000, 2 ** 40 + 1]) {
    const bins = Math.min(size, 30);
    const counts = new Uint32Array(bins);
    for (let i = 0; i < 90_000; i++) {
      const value = randomBelow(9, i, size);
      if (!(value >= 0 && value < size && Number.isInteger(value))) expect.fail(`${value} below ${size}`);
      counts[Math.floor((value / size) * bins)]!++;
    }
    expect(distribution(counts).pValue, `size ${size}`).toBeGreaterThan(ALPHA);
  }
});

test('fields with the same seed, and seeds that follow one another, are independent', () => {
  const template = packet(eth(), ipv4(), udp(), payload(''));
  const pair = (fields: Parameters<typeof vary>[1]) => {
    const counts = new Uint32Array(1024);
    for (const bytes of vary(template, fields, 60_000))
      counts[((bytes[35]! & 31) << 5) | (bytes[37]! & 31)]!++;
    return distribution(counts).pValue;
  };
  expect(pair({ 'udp.sport': random({ seed: 1 }), 'udp.dport': random({ seed: 1 }) })).toBeGreaterThan(ALPHA);
  expect(pair({ 'udp.sport': random({ seed: 1 }), 'udp.dport': random({ seed: 2 }) })).toBeGreaterThan(ALPHA);
});

function ones(value: number): number {
  let count = 0;
  for (let rest = value >>> 0; rest !== 0; rest &= rest - 1) count++;
  return count;
}
