/** Numbers that say what the next layer is: ethertypes, IP protocol numbers, UDP ports. */
import { type Frame, nextKind } from './codec.ts';

/** The names of IP protocol numbers that the kernel's headers use too. */
export const ipProtocols = Object.freeze({
  hopopts: 0,
  icmp: 1,
  ipip: 4,
  tcp: 6,
  udp: 17,
  ipv6: 41,
  routing: 43,
  fragment: 44,
  gre: 47,
  icmpv6: 58,
  none: 59,
  dstopts: 60,
  sctp: 132,
  mpls: 137,
  ethernet: 143,
});

/** Ethertypes (IEEE 802, IANA). */
export const etherTypes = Object.freeze({
  ipv4: 0x0800,
  arp: 0x0806,
  teb: 0x6558,
  vlan: 0x8100,
  ipv6: 0x86dd,
  mpls: 0x8847,
  qinq: 0x88a8,
});

/** For a payload of no known kind: "Local Experimental Ethertype 1" (IEEE 802, clause 9.2.3). */
const ETHERTYPE_EXPERIMENTAL = 0x88b5;
/** For a payload of no known kind: "Use for experimentation and testing" (RFC 3692, section 2.1). */
const PROTOCOL_EXPERIMENTAL = 253;

const kindByProtocol = new Map<number, string>([
  [0, 'hopopts'],
  [1, 'icmp'],
  [4, 'ipv4'],
  [6, 'tcp'],
  [17, 'udp'],
  [41, 'ipv6'],
  [43, 'routing'],
  [44, 'fragment'],
  [47, 'gre'],
  [58, 'icmpv6'],
  [60, 'dstopts'],
  [132, 'sctp'],
  [137, 'mpls'],
  [143, 'eth'],
]);

const protocolByKind = new Map<string, number>([
  ...Array.from(kindByProtocol, ([number, kind]) => [kind, number] as const),
  ['srh', 43],
  ['tcpStub', 6],
]);

const kindByEtherType = new Map<number, string>([
  [0x0800, 'ipv4'],
  [0x0806, 'arp'],
  [0x6558, 'eth'],
  [0x8100, 'vlan'],
  [0x86dd, 'ipv6'],
  [0x8847, 'mpls'],
  [0x8848, 'mpls'],
  [0x88a8, 'vlan'],
  // QinQ before 802.1ad gave it a number of its own; still sent by older switches.
  [0x9100, 'vlan'],
]);

const etherTypeByKind = new Map<string, number>([
  ['ipv4', 0x0800],
  ['arp', 0x0806],
  ['eth', 0x6558],
  ['ipv6', 0x86dd],
  ['mpls', 0x8847],
]);

/** The ports that lead from UDP to a tunnel: draft-ietf-intarea-gue, RFC 7348, RFC 8926. */
export const tunnelPorts: ReadonlyMap<number, string> = new Map([
  [6080, 'gue'],
  [4789, 'vxlan'],
  [6081, 'geneve'],
]);

// Only these mean something in IPv6 alone; in IPv4 they are unknown.
const ipv6Only = new Set(['hopopts', 'routing', 'fragment', 'dstopts', 'icmpv6']);

/** The kind of layer that an IPv4 protocol number leads to. */
export function kindInIpv4(protocol: number): string | undefined {
  const kind = kindByProtocol.get(protocol);
  return kind !== undefined && ipv6Only.has(kind) ? undefined : kind;
}

/** The kind of layer that an IPv6 next header leads to. ICMP for IPv4 has no meaning there. */
export function kindInIpv6(protocol: number): string | undefined {
  return protocol === 1 ? undefined : kindByProtocol.get(protocol);
}

/** The kind of layer that a protocol number leads to where both versions of IP may follow. */
export function kindOfProtocol(protocol: number): string | undefined {
  return kindByProtocol.get(protocol);
}

export function kindOfEtherType(type: number): string | undefined {
  return kindByEtherType.get(type);
}

/** The protocol number for what follows layer `index`. */
export function protocolAuto(frame: Frame, index: number): number {
  const kind = nextKind(frame, index);
  if (kind === undefined) return ipProtocols.none;
  return protocolByKind.get(kind) ?? PROTOCOL_EXPERIMENTAL;
}

/** The ethertype for what follows layer `index`. Of two VLAN tags the outer one is a service tag (802.1ad). */
export function etherTypeAuto(frame: Frame, index: number): number {
  const kind = nextKind(frame, index);
  if (kind === 'vlan') return nextKind(frame, index + 1) === 'vlan' ? etherTypes.qinq : etherTypes.vlan;
  return (kind === undefined ? undefined : etherTypeByKind.get(kind)) ?? ETHERTYPE_EXPERIMENTAL;
}

/** The UDP port for what follows layer `index`. IP directly after UDP is GUE's variant 1. */
export function portAuto(frame: Frame, index: number): number {
  const kind = nextKind(frame, index);
  if (kind === 'ipv4' || kind === 'ipv6') return 6080;
  for (const [port, tunnel] of tunnelPorts) if (tunnel === kind) return port;
  // "Discard" (RFC 863): no dissector makes anything of its payload.
  return 9;
}
