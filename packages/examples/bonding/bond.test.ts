/**
 * XDP on the real bonding driver (Linux 5.15: 9e2ee5c7e7c3, "net, bonding: Add XDP support to the bonding driver"): what
 * XDP_TX does on a bond in each mode, frame by frame what the model says. Needs the module `bonding`; see vm.test.ts.
 */

import { beforeEach, describe, expect, test, vi } from 'vitest';
import { XdpError } from 'xdptest';
import { type BondOptions, type HashPolicy, NetworkNamespace } from 'xdptest/live';
import { eth, ipv4, type Packet, packet, payload, udp } from 'xdptest/packet';
import { fieldsOf, portOf } from './model.ts';
import { loadBonding } from './program.ts';
import { BondRig, TEST_PORT } from './rig.ts';

vi.setConfig({ testTimeout: 180_000 });

const FRAMES = 256;

/** Why the tests of this file cannot run here, or an empty string. */
function obstacle(): string {
  try {
    using namespace = new NetworkNamespace('probe');
    using object = loadBonding();
    const bond = namespace.addBond('bond0', { mode: 'balance-rr' });
    bond.attach(object.program('pass')).close();
    return '';
  } catch (error) {
    if (!(error instanceof XdpError)) throw error;
    if (error.code === 'XDP_FEATURE_UNSUPPORTED') return 'this kernel has no bonding driver';
    if (error.code === 'XDP_ATTACH_FAILED') return 'bonds take XDP from Linux 5.15 on';
    throw error;
  }
}

const reason = obstacle();

/** What varies from frame to frame. */
const varied = {
  nothing: () => ({}),
  MAC: (i: number) => ({ mac: i }),
  address: (i: number) => ({ address: i }),
  port: (i: number) => ({ port: i }),
} satisfies Record<string, (i: number) => { mac?: number; address?: number; port?: number }>;

function frames(what: keyof typeof varied): Packet[] {
  return Array.from({ length: FRAMES }, (_, i) => {
    const {
      mac = 0,
      address = 0,
      port = 0,
    }: { mac?: number; address?: number; port?: number } = varied[what](i);
    return packet(
      eth({ src: `02:00:00:00:01:${mac.toString(16).padStart(2, '0')}`, dst: '02:00:00:00:02:01' }),
      ipv4({ src: '10.0.0.1', dst: `10.0.1.${address}` }),
      // Even and odd sources: the driver discards the lowest bit of the hash.
      udp({ sport: 1000 + port, dport: TEST_PORT }),
      payload(Uint8Array.of(i, ...new Uint8Array(17))),
    );
  });
}

const kinds = Object.keys(varied) as (keyof typeof varied)[];
const counts = (back: readonly (readonly unknown[])[]): number[] => back.map((frames) => frames.length);

/** Which frames the model sends by each of two ports. */
function predicted(policy: HashPolicy, sent: readonly Packet[]): number[][] {
  const back: number[][] = [[], []];
  for (const [i, frame] of sent.entries()) back[portOf(policy, fieldsOf(frame), 2)]!.push(i);
  return back;
}

describe('XDP_TX on a bond', () => {
  beforeEach(({ skip }) => skip(reason !== '', reason));

  test('balance-rr sends them by all ports in turn, whatever is in them', async () => {
    using rig = await BondRig.create({ mode: 'balance-rr' });
    const seen: Record<string, number[]> = {};
    for (const what of kinds) {
      const back = counts(await rig.turnRound(frames(what)));
      seen[what] = back;
      expect(back[0]! + back[1]!).toBe(FRAMES);
      // A counter for each CPU: the frames may move from one to the other on their way.
      expect(Math.abs(back[0]! - back[1]!)).toBeLessThanOrEqual(4);
    }
    console.log(`balance-rr: ${JSON.stringify(seen)}`);
  });

  test('active-backup sends all by the active port, and by the other one when that loses its link', async () => {
    using rig = await BondRig.create({ mode: 'active-backup' });
    const seen: Record<string, number[]> = {};
    for (const what of kinds) {
      seen[what] = counts(await rig.turnRound(frames(what)));
      expect(seen[what]).toEqual([FRAMES, 0]);
    }
    expect(rig.bond.activePort).toBe('a0');
    rig.here.interface('a0').down();
    await expect.poll(() => rig.bond.activePort).toBe('a1');
    expect(counts(await rig.turnRound(frames('port'), 1))).toEqual([0, FRAMES]);
    console.log(`active-backup: ${JSON.stringify(seen)}`);
  });

  const hashed: BondOptions[] = [
    { mode: 'balance-xor', hashPolicy: 'layer2' },
    { mode: 'balance-xor', hashPolicy: 'layer2+3' },
    { mode: 'balance-xor', hashPolicy: 'layer3+4' },
    { mode: '802.3ad', hashPolicy: 'layer2+3' },
    { mode: '802.3ad', hashPolicy: 'layer3+4' },
  ];
  test.each(hashed)('$mode, $hashPolicy: each frame by the port that the formula says', async (options) => {
    using rig = await BondRig.create(options);
    const seen: Record<string, number[]> = {};
    for (const what of kinds) {
      const sent = frames(what);
      const back = await rig.turnRound(sent);
      seen[what] = counts(back);
      expect(back, `${what} varies: ${seen[what]}`).toEqual(predicted(options.hashPolicy!, sent));
    }
    console.log(`${options.mode} ${options.hashPolicy}: ${JSON.stringify(seen)}`);
  });

  test.each<BondOptions>([
    { mode: 'balance-xor', hashPolicy: 'layer3+4' },
    { mode: '802.3ad', hashPolicy: 'layer3+4' },
  ])(
    '$mode: a port that goes down gives its frames to the other one, and gets them back',
    async (options) => {
      using rig = await BondRig.create(options);
      const sent = frames('port');
      const whole = predicted('layer3+4', sent);
      expect(await rig.turnRound(sent)).toEqual(whole);
      rig.here.interface('a1').down();
      await rig.ready(1);
      await expect.poll(() => rig.bond.ports().filter((port) => port.carrier).length).toBe(1);
      expect(counts(await rig.turnRound(sent))).toEqual([FRAMES, 0]);
      rig.here.interface('a1').up();
      await rig.ready(2);
      // LACP may choose once more after both ports are ready: seen on a busy machine, a few frames later.
      await expect.poll(() => rig.turnRound(sent), { timeout: 60_000 }).toEqual(whole);
    },
  );

  test('programs at the far ends of its ports and one on it get along, in either order', () => {
    using here = new NetworkNamespace('here');
    using there = new NetworkNamespace('there');
    using object = loadBonding();
    const [port, far] = here.addVeth('a0', { namespace: there, name: 'b0' });
    // Readies the near end for XDP_TX; becoming a port ends that.
    far.attach(object.program('pass')).close();
    const bond = here.addBond('bond0', { mode: 'balance-xor' }).addPort(port);
    bond.attach(object.program('pass'));
    expect(bond.state.xdp).toBe('native');
    far.attach(object.program('pass'));
    expect(far.state.xdp).toBe('native');
  });

  test('a mode without XDP is refused with the reason', () => {
    using namespace = new NetworkNamespace('tlb');
    using object = loadBonding();
    const bond = namespace.addBond('bond0', { mode: 'balance-tlb' });
    expect(() => bond.attach(object.program('pass'))).toThrow(
      /bond0 \(bond\) cannot run XDP programs in native mode here.*the kernel says: /,
    );
  });
});
