import { expect, test } from 'vitest';
import { churn } from 'xdptest/stats';
import { MAGLEV_SIZE, maglevTable } from './maglev.ts';

const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `10.1.0.${i}`);

test.each([1, 2, 3, 32, 128, 1000])('%d backends get the same number of slots, give or take one', (count) => {
  const slots = new Uint32Array(count);
  for (const backend of maglevTable(names(count))) slots[backend]! += 1;
  expect(slots.reduce((sum, one) => sum + one)).toBe(MAGLEV_SIZE);
  expect(Math.max(...slots) - Math.min(...slots)).toBeLessThanOrEqual(1);
});

test('the order in which backends are told does not matter', () => {
  const backends = names(50);
  const reversed = backends.toReversed();
  const byName = (list: readonly string[]): string[] => Array.from(maglevTable(list), (slot) => list[slot]!);
  expect(byName(reversed)).toEqual(byName(backends));
});

test('adding one backend to 99 takes slots for it and moves few others', () => {
  const moved = churn(maglevTable(names(99)), maglevTable(names(100)), { added: [99] });
  expect(moved.movedToAdded).toBeGreaterThanOrEqual(Math.floor(MAGLEV_SIZE / 100));
  expect(moved.disruption).toBeLessThan(0.02);
});

test('what cannot be a table is refused', () => {
  expect(() => maglevTable([])).toThrow(RangeError);
  expect(() => maglevTable(['a', 'a'])).toThrow('same name');
  expect(() => maglevTable(names(12), 11)).toThrow('1 to 11 backends');
});
