/** Flows of clients to the VIP, one 64-byte packet each. */
import { eth, ipv4, packet, payload, random, range, udp, type VariedPackets, vary } from 'xdptest/packet';
import { VIP } from './balancer.ts';

/** No client's address comes twice, and ports are those that clients choose from. */
export function clientFlows(count: number): VariedPackets {
  const template = packet(eth(), ipv4({ dst: VIP.v4 }), udp({ dport: VIP.port }), payload('x'.repeat(22)));
  return vary(
    template,
    {
      'ipv4.src': range('10.0.0.0/12'),
      'udp.sport': random({ seed: 1, from: 32_768, to: 60_999 }),
    },
    count,
    { distinct: true },
  );
}
