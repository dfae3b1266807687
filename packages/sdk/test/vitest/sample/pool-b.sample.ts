/** A second file, for shards and for pools that keep modules between files. */
import { runXdp } from 'xdptest';
import { expect, test } from 'xdptest/vitest';
import sample from './sample.bpf.c';

test('the program is the same, its object another', ({ t }) => {
  const { programs, variables } = t.load(sample, { scope: 'file', variables: { verdict: 3 } });
  expect(variables.runs).toBe(0n);
  expect(runXdp(programs.decide, new Uint8Array(64))).toTx();
});
