/** Where XDP_REDIRECT sends a packet, from runMany and from runXdp. */
import { expect, test } from 'vitest';
import { runMany, runXdp, XdpObject } from 'xdptest';
import { missing } from '../support/missing.ts';
import { bpfObject } from './support.ts';

function chooses(kind: number, key = 0): Uint8Array {
  const packet = new Uint8Array(64);
  packet[0] = kind;
  packet[1] = key;
  return packet;
}

const LOOPBACK = 1;

function load(): XdpObject {
  const object = XdpObject.load(bpfObject('redirects'));
  object.map('ports').set(3, { ifindex: LOOPBACK });
  object.map('cpus').set(0, { qsize: 64 });
  return object;
}

const cases = [
  ['an interface', chooses(0), 'XDP_REDIRECT', { ifindex: 42 }],
  ['a device map', chooses(1, 3), 'XDP_REDIRECT', { map: 'ports', key: 3 }],
  ['a CPU map', chooses(2, 0), 'XDP_REDIRECT', { map: 'cpus', key: 0 }],
  ['an empty entry of a map', chooses(3), 'XDP_DROP', undefined],
  ['no redirect', chooses(4), 'XDP_PASS', undefined],
] as const;

test.for(cases)('runXdp tells %s', ([, packet, action, target], { skip }) => {
  skip(missing.redirects !== undefined, missing.redirects);
  using object = load();
  const result = runXdp(object.program('choose'), packet);
  expect(result.action).toBe(action);
  if (target === undefined) expect(result.redirect).toBeUndefined();
  else expect(result.redirect).toMatchObject(target);
});

test('runMany tells the target of each packet', async ({ skip }) => {
  skip(missing.redirects !== undefined, missing.redirects);
  using object = load();
  const packets = Array.from({ length: 3_000 }, (_, i) => cases[i % cases.length]![1]);
  const results = await runMany(object.program('choose'), packets, { engine: 'batch' });
  for (const result of results) {
    const [, , action, target] = cases[result.index % cases.length]!;
    expect(result.action).toBe(action);
    if (target === undefined) expect(result.redirect).toBeUndefined();
    else expect(result.redirect).toMatchObject(target);
  }
});

test('a verdict of XDP_REDIRECT without a target has none, whatever ran before', async ({ skip }) => {
  skip(missing.redirects !== undefined, missing.redirects);
  using object = load();
  expect(runXdp(object.program('choose'), chooses(9)).redirect).toBeUndefined();
  const results = await runMany(object.program('choose'), [chooses(0), chooses(9)], { engine: 'batch' });
  expect(results.at(0)?.redirect).toEqual({ ifindex: 42 });
  expect(results.at(1)?.redirect).toBeUndefined();
});

test('a program whose code never redirects is not run through the driver for it', () => {
  using actions = XdpObject.load(bpfObject('actions'));
  expect(actions.program('pass').mayRedirect).toBe(false);
  expect(actions.program('redirect').mayRedirect).toBe(true);
});

test('the syscall engine cannot tell', async () => {
  using object = load();
  const results = await runMany(object.program('choose'), [chooses(0)], { engine: 'syscall' });
  expect(results.at(0)).toMatchObject({ action: 'XDP_REDIRECT', redirect: undefined });
});
