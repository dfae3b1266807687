/**
 * One distribution test in a process of its own, as three-tests.ts orders: flows are run, counted by the backend that they
 * were sent to, and judged, all of which is timed. The balancer is loaded and the flows are made before: that takes the
 * same time for each way.
 */
import { closeWorkers, probeKernel, type RunManyOptions, runMany, type XdpProgram } from 'xdptest';
import type { PacketBatch } from 'xdptest/packet';
import { distribution } from 'xdptest/stats';
import { loadBalancer, makeBackends, setBackends } from '../../examples/load-balancer/balancer.ts';
import { clientFlows } from '../../examples/load-balancer/flows.ts';
import { runNaive } from './naive.ts';

export type Way = 'naive' | 'syscall' | 'planned';

export interface Order {
  readonly way: Way;
  readonly packets: number;
}

export interface Outcome {
  /** Of running, counting and judging. */
  readonly ns: number;
  /** How it was run, in the planner's words. */
  readonly how: string;
  readonly pValue: number;
  readonly passed: boolean;
}

const XDP_TX = 3;
/** Where an IPv4 header has its destination, behind an Ethernet header. */
const DESTINATION_AT = 14 + 16;
/** As the example's test has it; the flows are the same in every run. */
const ALPHA = 0.001;

interface Counted {
  /** Packets for each backend; the way decides what stands for one. */
  readonly counts: ReadonlyMap<unknown, number>;
  readonly sent: number;
  readonly how: string;
}

function countNaive(program: XdpProgram, flows: PacketBatch): Counted {
  const { verdicts, offsets, bytes } = runNaive(program, flows);
  const view = new DataView(bytes.buffer);
  const counts = new Map<unknown, number>();
  let sent = 0;
  for (let i = 0; i < flows.length; i++) {
    if (verdicts[i] === XDP_TX) sent++;
    const destination = view.getUint32(offsets[i]! + DESTINATION_AT);
    counts.set(destination, (counts.get(destination) ?? 0) + 1);
  }
  return { counts, sent, how: 'a loop in C, one call with repeat 1 for each packet, not parked' };
}

async function countMany(program: XdpProgram, flows: PacketBatch, options: RunManyOptions): Promise<Counted> {
  using results = await runMany(program, flows, options);
  return {
    counts: results.countBy('ipv4.dst'),
    sent: results.countActions().get('XDP_TX') ?? 0,
    how: results.plan.reason,
  };
}

const endpoints = Number(process.argv[2]);
const lb = loadBalancer();
setBackends(lb, makeBackends(endpoints));
const program = lb.program('balance');
probeKernel();

const made = new Map<number, PacketBatch>();
/** Made in the first round, which is not timed: later tests start together. */
function flowsOf(count: number): PacketBatch {
  const flows = made.get(count) ?? clientFlows(count).toBatch();
  made.set(count, flows);
  return flows;
}

async function test({ way, packets }: Order): Promise<Outcome> {
  const flows = flowsOf(packets);
  const started = process.hrtime.bigint();
  const { counts, sent, how } = await {
    naive: () => countNaive(program, flows),
    syscall: () => countMany(program, flows, { engine: 'syscall' }),
    planned: () => countMany(program, flows, {}),
  }[way]();
  const { pValue } = distribution(counts, { among: endpoints });
  const ns = Number(process.hrtime.bigint() - started);
  // A driver that stays parked here would lie on the dispatcher that the next test has rewritten; and so each test pays
  // for its own driver and workers, as the only test of a process does.
  await closeWorkers();
  return { ns, how, pValue, passed: sent === packets && pValue > ALPHA && pValue < 1 - ALPHA };
}

process.on('message', (order: Order) => {
  test(order).then(
    (outcome) => process.send?.(outcome),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.once('disconnect', () => process.exit());
process.send?.('ready');
