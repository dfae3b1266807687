/** 10,000 cases of one packet each, on one object: what a table-driven suite costs. */
import { runXdp } from 'xdptest';
import { describe, expect, test } from 'xdptest/vitest';
import sample from './sample.bpf.c';

const packet = new Uint8Array(64);

describe('TestTable', () => {
  test.for(Array.from({ length: 10_000 }, (_, i) => i))('case %d', (_case, { t }) => {
    const { programs } = t.load(sample, { scope: 'file' });
    expect(runXdp(programs.decide, packet)).toPass();
  });
});
