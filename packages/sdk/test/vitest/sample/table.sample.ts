/** 10,000 cases of one packet each, on one object: what a table-driven suite costs. */
import { runXdp } from 'xdptest';
import { afterAll, describe, expect, test } from 'xdptest/vitest';
import { CASES, tellCpuPerCase } from './cpu-per-case.ts';
import sample from './sample.bpf.c';

describe('TestTable', () => {
  const packet = new Uint8Array(64);
  const object = sample.load();
  afterAll(() => object.close());
  tellCpuPerCase();
  test.for(CASES)('case %d', () => {
    expect(runXdp(object.programs.decide, packet)).toPass();
  });
});
