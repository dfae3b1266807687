/** What the one line of a packet says about each of its layers, beside the addresses. */
import type { Layer, LayerKind, Layers } from '../layers/index.ts';
import { tcpFlags } from '../layers/tcp.ts';

const icmpNames = new Map([
  [0, 'echo reply'],
  [3, 'unreachable'],
  [5, 'redirect'],
  [8, 'echo request'],
  [11, 'time exceeded'],
  [12, 'parameter problem'],
]);

const icmpv6Names = new Map([
  [1, 'unreachable'],
  [2, 'packet too big'],
  [3, 'time exceeded'],
  [4, 'parameter problem'],
  [128, 'echo request'],
  [129, 'echo reply'],
  [133, 'router solicitation'],
  [134, 'router advertisement'],
  [135, 'neighbor solicitation'],
  [136, 'neighbor advertisement'],
  [137, 'redirect'],
]);

const words: { readonly [K in LayerKind]?: (layer: Layers[K]) => string } = {
  arp(arp) {
    if (arp.op === 1) return `ARP who has ${arp.targetIp}? tell ${arp.senderIp}`;
    return arp.op === 2 ? `ARP ${arp.senderIp} is at ${arp.senderMac}` : `ARP operation ${arp.op}`;
  },
  eth: ({ type }) => (knownEtherTypes.has(type) ? '' : `type 0x${type.toString(16).padStart(4, '0')}`),
  fragment: ({ id, fragmentOffset, mf }) => fragmentWords(id, fragmentOffset, mf),
  geneve: ({ vni }) => `Geneve ${vni}`,
  gre: ({ key }) => (key === undefined ? 'GRE' : `GRE key ${key}`),
  gue: () => 'GUE',
  icmp: (icmp) => `ICMP ${messageWords(icmp, icmpNames)}`,
  icmpv6: (icmp) => `ICMPv6 ${messageWords(icmp, icmpv6Names)}`,
  ipv4: ({ mf, fragmentOffset, id }) =>
    mf || fragmentOffset > 0 ? fragmentWords(id, fragmentOffset, mf) : '',
  mpls: ({ label }) => `MPLS ${label}`,
  raw: ({ reason }) => (reason === undefined ? '' : `(${reason})`),
  routing: ({ routingType }) => `routing type ${routingType}`,
  sctp: () => 'SCTP',
  srh: ({ segmentsLeft }) => `SRv6 ${segmentsLeft} left`,
  tcp({ flags }) {
    const set = Object.entries(tcpFlags).filter(([, bit]) => (flags & bit) !== 0);
    return ['TCP', ...(set.length === 0 ? [] : [set.map(([name]) => name).join(',')])].join(' ');
  },
  tcpStub: () => 'TCP',
  udp: () => 'UDP',
  vlan: ({ vid }) => `VLAN ${vid}`,
  vxlan: ({ vni }) => `VXLAN ${vni}`,
};

/** Those that the next layer makes plain. */
const knownEtherTypes = new Set([0x0800, 0x0806, 0x86dd, 0x8100, 0x88a8, 0x9100, 0x8847, 0x8848]);

/** The words for a layer; none for one that needs no mention. */
export function layerWords(layer: Layer): string {
  return (words[layer.kind] as ((layer: Layer) => string) | undefined)?.(layer) ?? '';
}

function messageWords(
  message: { type: number; code: number; id?: number; seq?: number; target?: string },
  names: ReadonlyMap<number, string>,
): string {
  const name = names.get(message.type) ?? `type ${message.type}`;
  if (message.target !== undefined) return `${name} ${message.target}`;
  if (message.id !== undefined) return `${name} id ${message.id} seq ${message.seq}`;
  return message.code === 0 ? name : `${name} code ${message.code}`;
}

function fragmentWords(id: number, offset: number, more: boolean): string {
  return `fragment ${id}@${offset * 8}${more ? '+' : ''}`;
}
