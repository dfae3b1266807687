/**
 * The engines side by side: the batch engine with one worker and with all, the syscall engine, the plain C loop, and
 * the kernel's own cost of the program alone. Outputs are kept, in memory that was used before; the packets are the same;
 * the rounds take turns.
 */
import { availableParallelism } from 'node:os';
import { benchXdp, probeKernel, type RunManyOptions, runMany, XdpObject, type XdpProgram } from 'xdptest';
import { eth, ipv4, type PacketBatch, packet, payload, random, range, udp, vary } from 'xdptest/packet';
import { loadBalancer, makeBackends, setBackends, VIP } from '../../examples/load-balancer/balancer.ts';
import { CLoop } from './c-loop.ts';
import type { Options } from './options.ts';
import { type Row, summarize } from './statistics.ts';

/** Rounds that do not count. */
export const WARM_UP = 3;
const ETHERNET_IPV4_UDP_BYTES = 14 + 20 + 8;

/** Distinct packets of one size to the balancer's VIP. */
function flows(bytes: number, count: number): PacketBatch {
  const template = packet(
    eth(),
    ipv4({ dst: VIP.v4 }),
    udp({ dport: VIP.port }),
    payload(new Uint8Array(bytes - ETHERNET_IPV4_UDP_BYTES)),
  );
  const fields = { 'ipv4.src': range('10.0.0.0/12'), 'udp.sport': random({ seed: 1 }) };
  return vary(template, fields, count).toBatch();
}

export async function benchEngines(options: Options, show: (row: Row) => void): Promise<void> {
  const trivial = XdpObject.load(new URL('../../../test/bpf/actions.bpf.o', import.meta.url));
  const lb = loadBalancer();
  setBackends(lb, makeBackends(64));
  for (const [name, program] of [
    ['trivial', trivial.program('pass')],
    ['load balancer', lb.program('balance')],
  ] as const) {
    for (const bytes of [64, 1500]) {
      if (!options.matches(`engines ${name} ${bytes}`)) continue;
      for (const row of await compare(name, program, bytes, options)) show(row);
    }
  }
  if (options.matches('engines kernel repeat'))
    for (const bytes of [64, 1500]) show(await kernelRepeat(trivial.program('pass'), bytes, options));
  trivial.close();
  lb.close();
}

async function compare(name: string, program: XdpProgram, bytes: number, options: Options): Promise<Row[]> {
  const all = availableParallelism();
  const batch = flows(bytes, bytes > 1000 ? Math.ceil(options.packets / 4) : options.packets);
  const ways: [engine: string, options: RunManyOptions][] = [
    ['batch', { engine: 'batch', workers: 1 }],
    ['batch', { engine: 'batch', workers: all }],
    ['syscall', { engine: 'syscall', workers: 1 }],
  ];
  const cLoop = new CLoop(program, batch);
  const times = ways.map((): number[] => []);
  const cTimes: number[] = [];
  // The first rounds warm up: worker threads start, drivers load, and a virtual machine's host finds memory for it.
  for (let round = 1 - WARM_UP; round <= options.rounds; round++) {
    for (const [i, [, runOptions]] of ways.entries()) {
      const started = process.hrtime.bigint();
      const results = await runMany(program, batch, runOptions);
      const ns = Number(process.hrtime.bigint() - started) / batch.length;
      if (round > 0) times[i]!.push(ns);
      results.close();
    }
    const ns = await cLoop.round();
    if (round > 0) cTimes.push(ns);
  }
  await cLoop.close();
  const rows = ways.map(([engine, { workers = 1 }], i) =>
    summarize({ case: name, engine, bytes, workers }, times[i]!, cTimes),
  );
  return [...rows, summarize({ case: name, engine: 'C loop', bytes, workers: 1 }, cTimes, cTimes)];
}

/** What the kernel's own repeat costs: a program that does not change the packet, parked, no copies at all. */
async function kernelRepeat(program: XdpProgram, bytes: number, options: Options): Promise<Row> {
  const { ns } = await benchXdp(program, new Uint8Array(bytes), { engine: 'syscall', count: options.rounds });
  return summarize(
    { case: 'trivial', engine: `kernel repeat (${probeKernel().release})`, bytes, workers: 1 },
    ns,
    undefined,
  );
}
