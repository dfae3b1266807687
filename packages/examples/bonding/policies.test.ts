/** The transmit policies as an XDP program, against a model of the formulas: packet by packet, and by the million. */
import { availableParallelism } from 'node:os';
import { describe, expect, test, vi } from 'vitest';
import type { HashPolicy } from 'xdptest/live';
import { hashPolicies } from 'xdptest/live';
import {
  arp,
  eth,
  gre,
  icmp,
  icmpv6,
  ipv4,
  ipv6,
  type Packet,
  PacketBatch,
  packet,
  payload,
  random,
  tcp,
  udp,
  vary,
  vlan,
} from 'xdptest/packet';
import { distribution } from 'xdptest/stats';
import { fieldsOf, fieldsOfFrame, hashOf, portOf } from './model.ts';
import { choosePorts, loadBonding } from './program.ts';

vi.setConfig({ testTimeout: 120_000 });

const MILLION = 1_000_000;
const ALPHA = 1e-4;
/** The same numbers in every run (mulberry32). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

/** A frame of any of the kinds that the policies tell apart. */
function anyFrame(pick: (below: number) => number): Packet {
  const hex = (): string => pick(256).toString(16).padStart(2, '0');
  const mac = (): string => `02:${hex()}:${hex()}:${hex()}:${hex()}:${hex()}`;
  const four = (): { src: string; dst: string } => ({
    src: `10.${pick(256)}.${pick(256)}.${pick(256)}`,
    dst: `192.0.${pick(256)}.${pick(256)}`,
  });
  const six = (): { src: string; dst: string } => ({
    src: `2001:db8:${hex()}::${hex()}${hex()}`,
    dst: `fd00::${hex()}:${hex()}`,
  });
  const ports = (): { sport: number; dport: number } => ({
    sport: 1 + pick(65_535),
    dport: 1 + pick(65_535),
  });
  const transports = [
    () => udp(ports()),
    () => tcp(ports()),
    () => icmp({ type: 8, id: pick(3), seq: pick(100) }),
    () => payload(new Uint8Array(8)),
  ];
  const transport = () => transports[pick(transports.length)]!();
  const options = () => (pick(4) === 0 ? { options: [{ type: 'nop' as const }] } : {});
  const frames = [
    () => packet(eth({ src: mac(), dst: mac() }), ipv4({ ...four(), ...options() }), transport()),
    () => packet(eth({ src: mac(), dst: mac() }), ipv6(six()), pick(2) ? udp(ports()) : tcp(ports())),
    () => packet(eth({ src: mac(), dst: mac() }), ipv6(six()), icmpv6({ type: 128, id: pick(9), seq: 1 })),
    () => packet(eth({ src: mac(), dst: mac() }), ipv4({ ...four(), mf: true }), udp(ports())),
    () => packet(eth({ src: mac(), dst: mac() }), ipv4(four()), ipv4(four()), transport()),
    () => packet(eth({ src: mac(), dst: mac() }), ipv6(six()), ipv6(six()), udp(ports())),
    () =>
      packet(
        eth({ src: mac(), dst: mac() }),
        ipv4(four()),
        gre({ key: pick(99) }),
        ipv4(four()),
        transport(),
      ),
    () => packet(eth({ src: mac(), dst: mac() }), ipv4(four()), gre(), ipv6(six()), tcp(ports())),
    () => packet(eth({ src: mac(), dst: mac() }), ipv4(four()), ipv6(six()), ipv4(four()), udp(ports())),
    () =>
      packet(
        eth({ src: mac(), dst: mac() }),
        vlan({ vid: pick(4096), pcp: pick(8) }),
        ipv4(four()),
        transport(),
      ),
    () => packet(eth({ src: mac(), dst: mac() }), arp({})),
  ];
  return frames[pick(frames.length)]!();
}

describe('known values', () => {
  // By hand from the documentation: 0x01 ^ 0x02 ^ 0x0800 and so on, with words in the order of an x86.
  const frame = packet(
    eth({ src: '02:00:00:00:00:01', dst: '02:00:00:00:00:02' }),
    ipv4({ src: '10.0.0.1', dst: '10.0.0.2' }),
    udp({ sport: 0x1234, dport: 0x5678 }),
  );
  test.each<[HashPolicy, number]>([
    ['layer2', 0x0803],
    // 0x0803 ^ 0x0100000a ^ 0x0200000a = 0x03000803; ^ >> 16: 0x03000b03; ^ >> 8: 0x03030b08
    ['layer2+3', 0x03030b08],
    // 0x78563412 ^ 0x03000000 = 0x7b563412; ^ >> 16: 0x7b564f44; ^ >> 8: 0x7b2d190b; >> 1
    ['layer3+4', 0x3d968c85],
    ['encap2+3', 0x03030b08],
    ['encap3+4', 0x3d968c85],
    // 0x020000 ^ 0x000001
    ['vlan+srcmac', 0x020001],
  ])('%s', async (policy, hash) => {
    expect(hashOf(policy, fieldsOf(frame)).toString(16)).toBe(hash.toString(16));
    // A prime number of ports shows most of the hash.
    using object = loadBonding(policy, 65_521);
    expect([...(await choosePorts(object, [frame]))]).toEqual([hash % 65_521]);
  });
});

describe('every kind of frame', () => {
  const pick = numbers(1);
  const frames = Array.from({ length: 20_000 }, () => anyFrame(pick));
  const fields = frames.map(fieldsOf);
  const batch = PacketBatch.from(frames);

  test.each(hashPolicies)('%s: the program and the model agree on all of 20,000', async (policy) => {
    for (const ports of [2, 3, 65_521]) {
      using object = loadBonding(policy, ports);
      const chosen = await choosePorts(object, batch);
      const wrong = fields.findIndex((one, i) => portOf(policy, one, ports) !== chosen[i]);
      expect(wrong < 0 ? '' : `${frames[wrong]}: the program chose ${chosen[wrong]} of ${ports}`).toBe('');
    }
  });
});

describe('a million flows', () => {
  const template = packet(eth(), ipv4(), udp(), payload(new Uint8Array(18)));
  const flows = vary(
    template,
    {
      'eth.src': random({ seed: 1 }),
      'eth.dst': random({ seed: 2 }),
      'ipv4.src': random({ seed: 3 }),
      'ipv4.dst': random({ seed: 4 }),
      'udp.sport': random({ seed: 5 }),
      'udp.dport': random({ seed: 6 }),
    },
    MILLION,
  );
  const batch = PacketBatch.from(flows);

  test.each(hashPolicies)('%s spreads them as chance does, each as the model says', async (policy) => {
    // Even over 24 is even over 2, 3, 4, 6, 8 and 12. Layer 2 hashes eight bits, and 256 is no multiple of 3.
    const ports = policy === 'layer2' ? 8 : 24;
    using object = loadBonding(policy, ports);
    const chosen = await choosePorts(object, batch);
    let wrong = 0;
    const counts = new Map(Array.from({ length: ports }, (_, port) => [port, 0]));
    chosen.forEach((port, i) => {
      if (portOf(policy, fieldsOfFrame(batch.at(i)!), ports) !== port) wrong += 1;
      counts.set(port, counts.get(port)! + 1);
    });
    expect(wrong).toBe(0);
    expect(distribution(counts).pValue).toBeGreaterThan(ALPHA);
  });

  test.each([1, 4])('round robin, %d in a row: even to the frame on each CPU', async (packetsPerPort) => {
    const ports = 3;
    using object = loadBonding('round-robin', ports, packetsPerPort);
    const chosen = await choosePorts(object, batch);
    const counts = new Array<number>(ports).fill(0);
    for (const port of chosen) counts[port]! += 1;
    const turns = object.map('round_robin').get(0) as readonly number[];
    // Each CPU begins behind 0: what it gave to each port follows from how many frames it had.
    const expected = new Array<number>(ports).fill(0);
    for (const turn of turns) {
      for (let i = 1; i <= turn; i++) expected[Math.floor(i / packetsPerPort) % ports]! += 1;
    }
    expect(turns.reduce((sum, turn) => sum + turn)).toBe(MILLION);
    expect(counts).toEqual(expected);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(
      packetsPerPort * availableParallelism(),
    );
  });
});
