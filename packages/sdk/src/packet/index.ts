/** Packets as values: the door of this room, published as `xdptest/packet`. Pure: works on any system. */

export {
  formatIpv4,
  formatIpv6,
  formatMac,
  inPrefix,
  ipv4ToNumber,
  numberToIpv4,
  parseIpv4,
  parseIpv6,
  parseMac,
} from './addresses.ts';
export {
  arp,
  dstopts,
  eth,
  fragment,
  geneve,
  gre,
  gue,
  hopopts,
  icmp,
  icmpv6,
  ipv4,
  ipv6,
  type LayerBuilder,
  mpls,
  payload,
  routing,
  sctp,
  srh,
  tcp,
  tcpStub,
  trailer,
  udp,
  vlan,
  vxlan,
} from './builders.ts';
export { crc32c, internetChecksum, updateChecksum16, updateChecksum32 } from './checksum.ts';
export { type DiffOptions, diff, type PacketDiff } from './compare/diff.ts';
export {
  type Difference,
  type FieldDifference,
  formatDifferences,
  type LayerDifference,
} from './compare/difference.ts';
export { type LayerMatch, type LayersMatch, matchLayers } from './compare/match.ts';
export { type DissectOptions, dissect } from './dissect.ts';
export { type FieldPlace, type FieldValue, fieldReader, locateField } from './fields.ts';
export { type ChecksumPlace, computeChecksum, writeChecksum } from './layer-checksum.ts';
export type { GeneveOption } from './layers/geneve-options.ts';
export { icmpTypes } from './layers/icmp.ts';
export { icmpv6Types } from './layers/icmpv6.ts';
export type { NdOption } from './layers/icmpv6-options.ts';
export type {
  Arp,
  Dstopts,
  Eth,
  Fragment,
  Geneve,
  Gre,
  Gue,
  Hopopts,
  Icmp,
  Icmpv6,
  Ipv4,
  Ipv6,
  Layer,
  LayerKind,
  Layers,
  Mpls,
  Raw,
  Routing,
  Sctp,
  Srh,
  Tcp,
  TcpStub,
  Trailer,
  Udp,
  Vlan,
  Vxlan,
} from './layers/index.ts';
export { layerKinds } from './layers/index.ts';
export type { Ipv4Option } from './layers/ipv4-options.ts';
export type { Ipv6Option } from './layers/ipv6-options.ts';
export { type TcpFlag, tcpFlags } from './layers/tcp.ts';
export type { TcpOption } from './layers/tcp-options.ts';
export {
  type FieldPath,
  type LayerPath,
  type LayersOf,
  Packet,
  type PacketChanges,
  type PacketPart,
  packet,
} from './packet.ts';
export {
  MAX_BATCH_BYTES,
  PacketBatch,
  PacketBatchBuilder,
  type PacketLike,
  packetBytes,
} from './packet-batch.ts';
export * from './pcap/index.ts';
export { etherTypes, ipProtocols } from './protocols.ts';
export { formatLine, formatTree, type HexdumpOptions, hexdump } from './show/index.ts';
export type { LayerFields, LayerSpec } from './spec.ts';
export * from './vary/index.ts';
