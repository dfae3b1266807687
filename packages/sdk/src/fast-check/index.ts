/** Arbitraries for property tests with fast-check: the door of this room, published as `xdptest/fast-check`. */
export { almostValidPacket, type FaultKind, FaultyPacket } from './almost-valid-packet.ts';
export { type HostileOptions, hostilePacket } from './hostile-packet.ts';
export { type ArbitraryKind, type LayerArbitraries, layer, payloadLayer } from './layer.ts';
export { type PacketOptions, packetOf, validPacket } from './valid-packet.ts';
export { ipv4Address, ipv6Address, macAddress } from './values.ts';
