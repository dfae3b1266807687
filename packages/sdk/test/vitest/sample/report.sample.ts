/** A run for the reporter: a bit of everything. */
import { runXdp } from 'xdptest';
import { describe, expect, test } from 'xdptest/vitest';
import sample from './sample.bpf.c';

describe('TestLoadBalancerDistribution', () => {
  test.for([32, 64])('%d endpoints', (endpoints, { t }) => {
    const { programs } = t.load(sample);
    for (let i = 0; i < endpoints; i++) expect(runXdp(programs.decide, new Uint8Array(64))).toPass();
    t.log(`${endpoints} iterations`);
    t.log('two\nlines');
  });
  test('fails', ({ t }) => {
    t.log('on the way to a failure');
    expect('this').toBe('that');
  });
  test('is skipped', ({ t }) => {
    t.skip('for a reason');
  });
});

test('TestSubtests', async ({ t }) => {
  t.run('first', (t) => t.log('of the first'));
  for (const name of ['a', 'b']) {
    await t.run(`parallel ${name}`, async (t) => {
      await t.parallel();
      t.log(`of ${name}`);
    });
  }
  t.run('broken', (t) => t.fatal('no good'));
});

test.concurrent('TestConcurrent', async () => {
  console.log('printed by the test');
});

describe('TestSkipped', () => {
  test.skip('by its declaration', () => {});
});

describe('TestHook', () => {
  test.todo('to be written');
});
