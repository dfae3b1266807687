/** Is the load spread as evenly as chance allows, and does a flow stay where it is? */
import { afterAll, describe, expect, test, vi } from 'vitest';
import { runMany } from 'xdptest';
import { fieldReader } from 'xdptest/packet';
import { churn, type Distribution, distribution } from 'xdptest/stats';
import { loadBalancer, makeBackends, setBackends } from './balancer.ts';
import { clientFlows } from './flows.ts';

// A second or two alone; a busy or emulated machine takes longer.
vi.setConfig({ testTimeout: 120_000 });

/** A sound hash fails once in a thousand runs with new flows; these flows are the same in every run. */
const ALPHA = 0.001;
const FLOWS = 1_000_000;
const report: string[] = [];
afterAll(() => console.log(report.join('\n')));

const percent = (share: number): string => `${(share * 100).toFixed(2)}%`;

/** Runs all flows over so many endpoints, and logs how they were spread. */
async function measure(
  name: string,
  endpoints: number,
  hashKind: 'HASH_MIX' | 'HASH_XOR',
): Promise<Distribution<string>> {
  using lb = loadBalancer({ variables: { hash_kind: hashKind } });
  const backends = makeBackends(endpoints);
  const table = setBackends(lb, backends);
  using results = await runMany(lb.program('balance'), clientFlows(FLOWS));
  expect(results.countActions()).toEqual(new Map([['XDP_TX', FLOWS]]));

  // A table is not perfectly even itself: a backend's share is that of its slots. (Maglev gives each backend the same
  // number, give or take one of 65,537; with weights it would matter more.)
  const slots = new Map(backends.map(({ addr4 }) => [addr4, 0]));
  for (const backend of table) slots.set(backends[backend]!.addr4, slots.get(backends[backend]!.addr4)! + 1);
  const d = distribution(results.countBy('ipv4.dst'), { expected: slots });
  report.push(
    `=== RUN   ${name}/${endpoints}_endpoints`,
    `    ${results.length} packets, ${(results.elapsedNs / 1e9).toFixed(2)}s: ${results.plan.reason}`,
    `    Coefficient of variation: ${percent(d.cv)} (chance: ${percent(d.expectedCv)})`,
    `    Chi-square: ${d.chiSquare.toFixed(1)}, ${d.degreesOfFreedom} degrees of freedom, p = ${d.pValue.toPrecision(3)}`,
  );
  return d;
}

describe.concurrent('TestLoadBalancerDistribution', () => {
  test.each([
    [32, 0.0056],
    [64, 0.0079],
    [128, 0.0113],
  ])('%d endpoints', async (endpoints, chance) => {
    const d = await measure('TestLoadBalancerDistribution', endpoints, 'HASH_MIX');
    expect(d.k).toBe(endpoints);
    expect(d.expectedCv).toBeCloseTo(chance, 4);
    expect(d.pValue).toBeGreaterThan(ALPHA);
    // The other way round: round robin would be more even than a hash can be.
    expect(d.pValue).toBeLessThan(1 - ALPHA);
  });
});

test('a bad hash is caught: addresses and ports XORed, and not mixed', async () => {
  const d = await measure('TestBadHash', 32, 'HASH_XOR');
  // It is even enough to pass a limit of 5 % that somebody guessed.
  expect(d.cv).toBeLessThan(0.05);
  expect(d.pValue).toBeLessThan(1e-30);
});

test('removing one endpoint of 32 moves few flows of the others', async () => {
  using lb = loadBalancer();
  const backends = makeBackends(32);
  const flows = clientFlows(200_000).toBatch();
  const destinationOf = fieldReader('ipv4.dst');
  const run = async (): Promise<(string | undefined)[]> =>
    Array.from(await runMany(lb.program('balance'), flows), ({ packet }) => destinationOf(packet!));

  const tableBefore = setBackends(lb, backends);
  const before = await run();
  const tableAfter = setBackends(lb, backends, [7]);
  const after = await run();

  const flowsMoved = churn(before, after, { removed: [backends[7]!.addr4] });
  const slotsMoved = churn(tableBefore, tableAfter, { removed: [7] });
  report.push(
    '=== RUN   TestEndpointRemoved/32_endpoints',
    `    Flows of other endpoints that moved: ${percent(flowsMoved.disruption)} (slots of the table: ${percent(slotsMoved.disruption)})`,
  );
  expect(flowsMoved.stillOnRemoved).toBe(0);
  expect(flowsMoved.movedFromRemoved).toBeGreaterThan(0);
  // hash % n would move 97 % of them.
  expect(flowsMoved.disruption).toBeLessThan(0.03);
  expect(flowsMoved.disruption).toBeCloseTo(slotsMoved.disruption, 2);
});
