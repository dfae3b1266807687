/**
 * The issue that started this project: three distribution tests at once on a kernel that rewrites the XDP dispatcher at
 * every test run. Three processes, each with a balancer of its own, run (a) single calls that are not parked, (b) the
 * syscall engine and (b) what the planner chooses; each way also with one test alone. The rounds take turns. Runs on
 * any kernel: see `pnpm bench:kernels`.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { probeKernel } from 'xdptest';
import { RewriteCounter } from '#dist/kernel/rewrites.js';
import { native } from '#dist/native.js';
import { positive } from './options.ts';
import type { Order, Outcome } from './three-tests-process.ts';
import { formatReport, type Report, type Rounds, summarizeCases } from './three-tests-report.ts';

const usage = `three-tests.js [--json] [--rounds N] [--packets N] [--naive-packets N]

  --json           the report as JSON
  --rounds         timed rounds of each case (default 5)
  --packets        packets of each test (default 300000)
  --naive-packets  the same for the naive way, which takes a while (default 5000)`;

/** Backends of the three tests, as in the example. */
const ENDPOINTS = [32, 64, 128];

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    packets: { type: 'string', default: '300000' },
    'naive-packets': { type: 'string', default: '5000' },
  },
});
const [rounds, packets, naivePackets] = (['rounds', 'packets', 'naive-packets'] as const).map((name) =>
  positive(name, values[name], usage),
) as [number, number, number];

async function start(endpoints: number): Promise<ChildProcess> {
  const child = fork(new URL('three-tests-process.js', import.meta.url), [String(endpoints)]);
  child.once('exit', (code) => {
    if (code === 0) return;
    console.error(`the test of ${endpoints} endpoints ended with ${code}`);
    process.exit(1);
  });
  await once(child, 'message');
  return child;
}

async function order(child: ChildProcess, what: Order): Promise<Outcome> {
  const answer = once(child, 'message');
  child.send(what);
  return ((await answer) as [Outcome])[0];
}

const { release, dispatcher } = probeKernel();
const children: ChildProcess[] = [];
// One after the other: each probes the kernel, and others that do so at once would be in its times.
for (const endpoints of ENDPOINTS) children.push(await start(endpoints));

const cases: Rounds[] = [1, ENDPOINTS.length].flatMap((testsAtOnce) =>
  (['naive', 'syscall', 'planned'] as const).map((way) => ({
    way,
    testsAtOnce,
    packetsPerTest: way === 'naive' ? naivePackets : packets,
    rewrites: null,
    all: [],
    timed: [],
  })),
);

async function playRound(one: Rounds): Promise<Outcome[]> {
  const orders = children
    .slice(0, one.testsAtOnce)
    .map((child) => order(child, { way: one.way, packets: one.packetsPerTest }));
  const outcomes = await Promise.all(orders);
  one.all.push(...outcomes);
  return outcomes;
}

// The first round warms up, and is the one in which rewrites are counted: counting takes time.
const counter = RewriteCounter.open(native());
for (const one of cases) {
  const before = counter instanceof RewriteCounter ? counter.count : 0;
  await playRound(one);
  if (counter instanceof RewriteCounter) one.rewrites = counter.count - before;
}
if (counter instanceof RewriteCounter) counter.close();
for (let round = 0; round < rounds; round++)
  for (const one of cases) one.timed.push(...(await playRound(one)));
for (const child of children) child.disconnect();

const report: Report = {
  release,
  dispatcher: dispatcher.reason,
  rounds,
  rewritesRefused: counter instanceof RewriteCounter ? null : counter.refused,
  cases: summarizeCases(cases),
};
console.log(values.json ? JSON.stringify(report) : formatReport(report));
if (!report.cases.every(({ passed }) => passed)) process.exitCode = 1;
