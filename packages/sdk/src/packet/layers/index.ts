/** All kinds of layers. */
import type { Codec } from '../codec.ts';
import { type Arp, arpCodec } from './arp.ts';
import { type Eth, ethCodec } from './eth.ts';
import { type Icmp, icmpCodec } from './icmp.ts';
import { type Icmpv6, icmpv6Codec } from './icmpv6.ts';
import { type Ipv4, ipv4Codec } from './ipv4.ts';
import { type Ipv6, ipv6Codec } from './ipv6.ts';
import { type Raw, rawCodec, type Trailer, trailerCodec } from './raw.ts';
import { type Tcp, tcpCodec } from './tcp.ts';
import { type TcpStub, tcpStubCodec } from './tcp-stub.ts';
import { type Udp, udpCodec } from './udp.ts';
import { type Vlan, vlanCodec } from './vlan.ts';

/** The layers by their kind. */
export interface Layers {
  readonly arp: Arp;
  readonly eth: Eth;
  readonly icmp: Icmp;
  readonly icmpv6: Icmpv6;
  readonly ipv4: Ipv4;
  readonly ipv6: Ipv6;
  readonly raw: Raw;
  readonly tcp: Tcp;
  readonly tcpStub: TcpStub;
  readonly trailer: Trailer;
  readonly udp: Udp;
  readonly vlan: Vlan;
}

/** The kinds of layers. */
export type LayerKind = keyof Layers;
/** A layer of any kind, with all of its fields; `kind` tells which. */
export type Layer = Layers[LayerKind];

const codecs: ReadonlyMap<string, Codec> = new Map(
  [
    arpCodec,
    ethCodec,
    icmpCodec,
    icmpv6Codec,
    ipv4Codec,
    ipv6Codec,
    rawCodec,
    tcpCodec,
    tcpStubCodec,
    trailerCodec,
    udpCodec,
    vlanCodec,
  ].map((codec) => [codec.kind, codec]),
);

/** The codec of a kind of layer, or undefined if there is no such kind. */
export function findCodec(kind: string): Codec | undefined {
  return codecs.get(kind);
}

/** The names of all kinds, sorted. */
export const layerKinds: readonly LayerKind[] = Object.freeze([...codecs.keys()].sort() as LayerKind[]);

export type { Arp, Eth, Icmp, Icmpv6, Ipv4, Ipv6, Raw, Tcp, TcpStub, Trailer, Udp, Vlan };
