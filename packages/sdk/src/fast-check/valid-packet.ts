/** Arbitrary packets that are right in every length, type and checksum. */
import fc from 'fast-check';
import { expectInteger, expectOptions } from '../errors.ts';
import { type LayerSpec, type Packet, packet } from '../packet/index.ts';
import { type Frame, frame, layersOf } from './frame.ts';
import { type ArbitraryKind, kinds, type LayerArbitraries } from './layer.ts';

/** Options of {@link validPacket}. */
export interface PacketOptions {
  /** How many packets may be around the innermost one, as tunnels or as errors that quote it. Default 1. */
  readonly maxDepth?: number;
  /** Default 64. */
  readonly maxPayloadBytes?: number;
  /** Arbitraries for fields, in all layers of a kind: `{ ipv4: { dst: fc.constant('192.0.2.1') } }`. */
  readonly layers?: { readonly [K in ArbitraryKind]?: LayerArbitraries<K> };
}

/**
 * A valid packet: Ethernet, up to two VLAN tags, ARP, MPLS, IPv4 and IPv6 with options and extension headers, TCP, UDP,
 * SCTP, ICMP, tunnels of all kinds, packets quoted in errors. It shrinks part by part to a plain one of UDP over IPv4.
 */
export function validPacket(options?: PacketOptions): fc.Arbitrary<Packet> {
  const {
    maxDepth = 1,
    maxPayloadBytes = 64,
    layers = {},
  } = expectOptions<PacketOptions>('validPacket', options, ['maxDepth', 'maxPayloadBytes', 'layers']);
  expectInteger('validPacket: maxDepth', maxDepth, 0, 4);
  expectInteger('validPacket: maxPayloadBytes', maxPayloadBytes, 0, 9000);
  expectOptions('validPacket: layers', layers, kinds);
  return frame({ maxDepth, maxPayloadBytes, layers }).map((plan: Frame) => packet(...layersOf(plan)));
}

/** A packet of certain layers: `packetOf(layer('eth'), layer('ipv4'), layer('udp'), payloadLayer())`. */
export function packetOf(...parts: readonly fc.Arbitrary<LayerSpec>[]): fc.Arbitrary<Packet> {
  return fc.tuple(...parts).map((layers) => packet(...layers));
}
