/** Several runs at once in one thread share its driver: each gets its own program's answers. */
import { expect, test } from 'vitest';
import { runMany, runXdp, XdpObject } from 'xdptest';
import { missing } from '../support/missing.ts';
import { randomPackets } from '../support/random.ts';
import { bpfObject, expectSameAnswers } from './support.ts';

test('four callers with different programs, and single runs in between', async () => {
  using mutator = XdpObject.load(bpfObject('mutator'));
  using actions = XdpObject.load(bpfObject('actions'));
  const programs = [
    mutator.program('mutator'),
    actions.program('by_content'),
    actions.program('prepend'),
    actions.program('redirect'),
  ];
  const packets = randomPackets(11, 40_000, 14, 300);
  const expected = await Promise.all(
    programs.map((program) => runMany(program, packets, { engine: 'syscall', workers: 1 })),
  );
  const target = missing.redirects === undefined ? { ifindex: 1 } : undefined;
  let running = true;
  const between = (async () => {
    let seen = 0;
    while (running) {
      // runXdp takes the same driver for a program that redirects.
      expect(runXdp(actions.program('redirect'), packets[0]!).redirect).toEqual(target);
      seen++;
      await new Promise(setImmediate);
    }
    return seen;
  })();
  const results = await Promise.all(
    programs.map((program, i) => runMany(program, packets, { engine: 'batch', workers: 1 + (i % 2) })),
  );
  running = false;
  expect(await between).toBeGreaterThan(0);
  results.forEach((batch, i) => {
    expectSameAnswers({ single: expected[i]!, batch });
  });
});
