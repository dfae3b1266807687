/** 10,000 tests that do nothing: what vitest itself costs. */
import { afterAll, beforeAll, describe, test } from 'vitest';

describe('TestEmpty', () => {
  let started = process.cpuUsage();
  beforeAll(() => {
    started = process.cpuUsage();
  });
  afterAll(() => {
    const { user, system } = process.cpuUsage(started);
    console.log(`${((user + system) / 10_000).toFixed(2)} us a case`);
  });
  test.for(Array.from({ length: 10_000 }, (_, i) => i))('case %d', () => {});
});
