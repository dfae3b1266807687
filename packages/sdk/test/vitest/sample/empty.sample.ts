/** 10,000 tests that do nothing: what vitest itself costs. */
import { describe, test } from 'vitest';

describe('TestEmpty', () => {
  test.for(Array.from({ length: 10_000 }, (_, i) => i))('case %d', () => {});
});
