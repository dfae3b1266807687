/**
 * The transmit policies of the bonding driver once more, written from the documentation over the layers of a packet and
 * not over its bytes: what the XDP program and the driver itself are compared with.
 */
import type { HashPolicy } from 'xdptest/live';
import {
  type Ipv4,
  type Ipv6,
  type Layer,
  type Packet,
  parseIpv4,
  parseIpv6,
  parseMac,
} from 'xdptest/packet';

/** What the policies look at. */
export interface FlowFields {
  readonly srcMac: Uint8Array;
  readonly dstMac: Uint8Array;
  readonly etherType: number;
  /** Tag control information of an outer VLAN tag, 0 for none. */
  readonly tci: number;
  /** Addresses of the outer IP header and of the innermost one, in the bytes of the packet; undefined for no IP. */
  readonly outer: IpFields | undefined;
  readonly inner: IpFields | undefined;
}

interface IpFields {
  readonly src: Uint8Array;
  readonly dst: Uint8Array;
  /** Four bytes behind the header that tell flows apart: the ports, or what stands for them; empty for none. */
  readonly transport: Uint8Array;
}

/** A word of four bytes in the order of the machine (little-endian: all that this project runs on). */
function word(bytes: Uint8Array, at = 0): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
}

function foldedAddress(bytes: Uint8Array): number {
  let folded = 0;
  for (let at = 0; at < bytes.length; at += 4) folded ^= word(bytes, at);
  return folded >>> 0;
}

/** source MAC[5] XOR destination MAC[5] XOR packet type */
function layer2(fields: FlowFields): number {
  return fields.srcMac[5]! ^ fields.dstMac[5]! ^ fields.etherType;
}

/** hash XOR source IP XOR destination IP, folded by XOR with itself shifted by 16 and by 8 */
function withAddresses(hash: number, ip: IpFields): number {
  const mixed = hash ^ foldedAddress(ip.src) ^ foldedAddress(ip.dst);
  const half = mixed ^ (mixed >>> 16);
  return (half ^ (half >>> 8)) >>> 0;
}

export function hashOf(policy: HashPolicy, fields: FlowFields): number {
  if (policy === 'vlan+srcmac') {
    const [a, b, c, d, e, f] = [...fields.srcMac] as [number, number, number, number, number, number];
    return (fields.tci ^ ((a << 16) | (b << 8) | c) ^ ((d << 16) | (e << 8) | f)) >>> 0;
  }
  const ip = policy.startsWith('encap') ? fields.inner : fields.outer;
  if (policy === 'layer2' || ip === undefined) return layer2(fields);
  if (policy.endsWith('2+3')) return withAddresses(layer2(fields), ip);
  const transport = ip.transport.length === 4 ? word(ip.transport) : 0;
  return withAddresses(transport, ip) >>> 1;
}

/** The number of the port that a frame leaves by. */
export function portOf(policy: HashPolicy, fields: FlowFields, ports: number): number {
  return hashOf(policy, fields) % ports;
}

const be16 = (value: number): [number, number] => [value >> 8, value & 255];
const withIdentifier = { icmp: [0, 8, 13, 14], icmpv6: [128, 129] };

/** The four bytes that stand for a transport layer, where the kernel knows any. */
function transportOf(layer: Layer | undefined): Uint8Array {
  switch (layer?.kind) {
    case 'tcp':
    case 'udp':
    case 'sctp':
      return Uint8Array.of(...be16(layer.sport), ...be16(layer.dport));
    case 'icmp':
    case 'icmpv6': {
      if (!withIdentifier[layer.kind].includes(layer.type)) return new Uint8Array(0);
      const { id } = layer as { readonly id?: number };
      // The kernel has the identifier in the machine's order here, and 1 in place of 0.
      const [high, low] = be16(id === undefined || id === 0 ? 1 : id);
      return Uint8Array.of(layer.type, layer.code, low, high);
    }
    default:
      return new Uint8Array(0);
  }
}

function ipFields(ip: Ipv4 | Ipv6, next: Layer | undefined): IpFields {
  const parse = ip.kind === 'ipv4' ? parseIpv4 : parseIpv6;
  const fragment = ip.kind === 'ipv4' && (ip.mf || ip.fragmentOffset > 0);
  return {
    src: parse(ip.src),
    dst: parse(ip.dst),
    transport: fragment ? new Uint8Array(0) : transportOf(next),
  };
}

const isIp = (layer: Layer | undefined): layer is Ipv4 | Ipv6 =>
  layer?.kind === 'ipv4' || layer?.kind === 'ipv6';

/** The fields of a packet, from its layers. */
export function fieldsOf(packet: Packet): FlowFields {
  const { layers } = packet;
  const eth = packet.get('eth')!;
  const tag = packet.get('vlan');
  let inner = 1;
  // Into IP in IP and GRE, as long as there is another IP header.
  for (let next = inner; isIp(layers[next]); ) {
    inner = next;
    next += layers[next + 1]?.kind === 'gre' ? 2 : 1;
  }
  const fields = (at: number): IpFields | undefined => {
    const layer = layers[at];
    return isIp(layer) ? ipFields(layer, layers[at + 1]) : undefined;
  };
  return {
    srcMac: parseMac(eth.src),
    dstMac: parseMac(eth.dst),
    etherType: eth.type,
    tci: tag === undefined ? 0 : (tag.pcp << 13) | (Number(tag.dei) << 12) | tag.vid,
    outer: fields(1),
    inner: fields(inner),
  };
}

/** The same for plain UDP or TCP over IPv4 without options, read from the bytes: a million at once. */
export function fieldsOfFrame(bytes: Uint8Array): FlowFields {
  const ip = { src: bytes.subarray(26, 30), dst: bytes.subarray(30, 34), transport: bytes.subarray(34, 38) };
  return {
    srcMac: bytes.subarray(6, 12),
    dstMac: bytes.subarray(0, 6),
    etherType: (bytes[12]! << 8) | bytes[13]!,
    tci: 0,
    outer: ip,
    inner: ip,
  };
}
