/** 10,000 cases of one packet each, on one object: what a table-driven suite costs. */
import { runXdp } from 'xdptest';
import { afterAll, beforeAll, describe, expect, test } from 'xdptest/vitest';
import sample from './sample.bpf.c';

describe('TestTable', () => {
  const packet = new Uint8Array(64);
  const object = sample.load();
  let started = process.cpuUsage();
  beforeAll(() => {
    started = process.cpuUsage();
  });
  afterAll(() => {
    const { user, system } = process.cpuUsage(started);
    console.log(`${((user + system) / 10_000).toFixed(2)} us a case`);
    object.close();
  });
  test.for(Array.from({ length: 10_000 }, (_, i) => i))('case %d', () => {
    expect(runXdp(object.programs.decide, packet)).toPass();
  });
});
