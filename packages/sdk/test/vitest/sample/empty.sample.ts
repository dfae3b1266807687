/** 10,000 tests that do nothing: what vitest itself costs. */
import { describe, test } from 'vitest';
import { CASES, tellCpuPerCase } from './cpu-per-case.ts';

describe('TestEmpty', () => {
  tellCpuPerCase();
  test.for(CASES)('case %d', () => {});
});
