/** One function for each kind of layer, which gives a checked layer for `packet()`. */
import { describeValue } from '../errors.ts';
import { packetInvalid, type Values } from './header.ts';
import { findCodec, type LayerKind } from './layers/index.ts';
import { type LayerFields, type LayerSpec, layerSpec } from './spec.ts';

/** Makes a layer of one kind from some of its fields; all others are computed or have defaults. */
export type LayerBuilder<K extends LayerKind> = (fields?: LayerFields<K>) => LayerSpec<K>;

function builder<K extends LayerKind>(kind: K): LayerBuilder<K> {
  const codec = findCodec(kind)!;
  return (fields) => {
    if (fields !== undefined && (fields === null || typeof fields !== 'object'))
      throw packetInvalid(`${kind}: the fields must be an object, got ${describeValue(fields)}`);
    return layerSpec(codec, { ...(fields as Values | undefined) }) as unknown as LayerSpec<K>;
  };
}

/** Ethernet II. */
export const eth = builder('eth');
/** A VLAN tag; two of them are QinQ. */
export const vlan = builder('vlan');
/** ARP for IPv4 over Ethernet; a request unless `op` says otherwise. */
export const arp = builder('arp');
/** IPv4, with options. */
export const ipv4 = builder('ipv4');
/** IPv6; its extension headers are layers of their own. */
export const ipv6 = builder('ipv6');
/** TCP, a SYN unless `flags` says otherwise. */
export const tcp = builder('tcp');
/** The first eight bytes of a TCP header, as ICMP errors quote them. */
export const tcpStub = builder('tcpStub');
/** UDP. */
export const udp = builder('udp');
/** ICMP for IPv4, an echo request unless `type` says otherwise. */
export const icmp = builder('icmp');
/** ICMPv6, an echo request unless `type` says otherwise. */
export const icmpv6 = builder('icmpv6');

/** The hop-by-hop options header of IPv6. */
export const hopopts = builder('hopopts');
/** The destination options header of IPv6. */
export const dstopts = builder('dstopts');
/** The routing header of IPv6, of any type. */
export const routing = builder('routing');
/** The segment routing header of SRv6. */
export const srh = builder('srh');
/** The fragment header of IPv6. */
export const fragment = builder('fragment');
/** SCTP's common header; chunks are payload. */
export const sctp = builder('sctp');
/** GRE; with a checksum, a key or a sequence number if they are given. */
export const gre = builder('gre');
/** GUE, variant 0. For variant 1 let the IP header follow UDP. */
export const gue = builder('gue');
/** VXLAN. */
export const vxlan = builder('vxlan');
/** Geneve, with options. */
export const geneve = builder('geneve');
/** An entry of an MPLS label stack. */
export const mpls = builder('mpls');

const rawCodec = findCodec('raw')!;
const trailerCodec = findCodec('trailer')!;

/** A payload: bytes, or text that is sent as UTF-8. */
export function payload(bytes: Uint8Array | string = ''): LayerSpec<'raw'> {
  return layerSpec(rawCodec, { bytes }) as unknown as LayerSpec<'raw'>;
}

/**
 * Bytes after the end of a layer: padding of the Ethernet frame, unless `after` gives the index of another layer
 * that ends before them.
 */
export function trailer(bytes: Uint8Array | string, after?: number): LayerSpec<'trailer'> {
  return layerSpec(trailerCodec, { bytes, after }) as unknown as LayerSpec<'trailer'>;
}
