/** Flows of clients to the VIP, and where they went. */
import type { RunResults } from 'xdptest';
import { eth, ipv4, type PacketBatch, packet, payload, random, range, udp, vary } from 'xdptest/packet';
import { VIP } from './balancer.ts';

/** One 64-byte packet each of as many flows: no address comes twice, ports are those that clients choose from. */
export function clientFlows(count: number): PacketBatch {
  const template = packet(
    eth(),
    ipv4({ dst: VIP.v4 }),
    udp({ dport: VIP.port }),
    payload(new Uint8Array(22)),
  );
  return vary(
    template,
    {
      'ipv4.src': range('10.0.0.0/12', { shuffle: 1 }),
      'udp.sport': random({ seed: 1, from: 32_768, to: 60_999 }),
    },
    count,
    { distinct: true },
  ).toBatch();
}

const OUTER_DESTINATION = 30;

/** The address that each packet was sent on to, as a number: one column, without an object per packet. */
export function destinations(results: RunResults): Uint32Array {
  const bytes = results.bytes!;
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return Uint32Array.from(results.offsets, (offset) => view.getUint32(offset + OUTER_DESTINATION));
}

/** How many of `values` there are of each. */
export function countOf(values: Uint32Array): Map<number, number> {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
