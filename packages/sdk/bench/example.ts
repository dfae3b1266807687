/**
 * The example's distribution tests, three of a million packets each, with all that belongs to them: making the packets,
 * running them, counting, statistics. Against the C loop for the running alone of the same packets.
 */
import { availableParallelism } from 'node:os';
import { runMany } from 'xdptest';
import { distribution } from 'xdptest/stats';
import { loadBalancer, makeBackends, setBackends } from '../../examples/load-balancer/balancer.ts';
import { clientFlows } from '../../examples/load-balancer/flows.ts';
import { CLoop } from './c-loop.ts';
import { WARM_UP } from './engines.ts';
import type { Options } from './options.ts';
import { type Row, summarize } from './statistics.ts';

export async function benchExample(options: Options, show: (row: Row) => void): Promise<void> {
  if (!options.matches('example distribution')) return;
  const endpoints = [32, 64, 128];
  const balancers = endpoints.map((count) => {
    const lb = loadBalancer();
    setBackends(lb, makeBackends(count));
    return lb;
  });
  const whole: number[] = [];
  const loops: number[] = [];
  const cLoop = new CLoop(balancers[0]!.program('balance'), clientFlows(options.packets).toBatch());
  for (let round = 1 - WARM_UP; round <= options.rounds; round++) {
    const started = process.hrtime.bigint();
    await Promise.all(
      balancers.map(async (lb) => {
        using results = await runMany(lb.program('balance'), clientFlows(options.packets));
        return distribution(results.countBy('ipv4.dst'));
      }),
    );
    const ns = Number(process.hrtime.bigint() - started) / (options.packets * endpoints.length);
    const loop = await cLoop.round();
    if (round > 0) {
      whole.push(ns);
      loops.push(loop);
    }
  }
  await cLoop.close();
  for (const lb of balancers) lb.close();
  const what = { case: 'three distribution tests', bytes: 64, workers: availableParallelism() };
  show(summarize({ ...what, engine: 'example, whole' }, whole, loops));
  show(summarize({ ...what, engine: 'C loop, running alone', workers: 1 }, loops, loops));
}
