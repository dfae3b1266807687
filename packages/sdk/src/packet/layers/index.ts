/** All kinds of layers. */
import type { Codec } from '../codec.ts';
import { type Arp, arpCodec } from './arp.ts';
import { type Eth, ethCodec } from './eth.ts';
import { type Fragment, fragmentCodec } from './fragment.ts';
import { type Geneve, geneveCodec } from './geneve.ts';
import { type Gre, greCodec } from './gre.ts';
import { type Gue, gueCodec } from './gue.ts';
import { type Icmp, icmpCodec } from './icmp.ts';
import { type Icmpv6, icmpv6Codec } from './icmpv6.ts';
import { type Ipv4, ipv4Codec } from './ipv4.ts';
import { type Ipv6, ipv6Codec } from './ipv6.ts';
import { type Mpls, mplsCodec } from './mpls.ts';
import { type Dstopts, dstoptsCodec, type Hopopts, hopoptsCodec } from './options-header.ts';
import { type Raw, rawCodec, type Trailer, trailerCodec } from './raw.ts';
import { type Routing, routingCodec } from './routing.ts';
import { type Sctp, sctpCodec } from './sctp.ts';
import { type Srh, srhCodec } from './srh.ts';
import { type Tcp, tcpCodec } from './tcp.ts';
import { type TcpStub, tcpStubCodec } from './tcp-stub.ts';
import { type Udp, udpCodec } from './udp.ts';
import { type Vlan, vlanCodec } from './vlan.ts';
import { type Vxlan, vxlanCodec } from './vxlan.ts';

/** The layers by their kind. */
export interface Layers {
  readonly arp: Arp;
  readonly dstopts: Dstopts;
  readonly eth: Eth;
  readonly fragment: Fragment;
  readonly geneve: Geneve;
  readonly gre: Gre;
  readonly gue: Gue;
  readonly hopopts: Hopopts;
  readonly icmp: Icmp;
  readonly icmpv6: Icmpv6;
  readonly ipv4: Ipv4;
  readonly ipv6: Ipv6;
  readonly mpls: Mpls;
  readonly raw: Raw;
  readonly routing: Routing;
  readonly sctp: Sctp;
  readonly srh: Srh;
  readonly tcp: Tcp;
  readonly tcpStub: TcpStub;
  readonly trailer: Trailer;
  readonly udp: Udp;
  readonly vlan: Vlan;
  readonly vxlan: Vxlan;
}

/** The kinds of layers. */
export type LayerKind = keyof Layers;
/** A layer of any kind, with all of its fields; `kind` tells which. */
export type Layer = Layers[LayerKind];

const codecs: ReadonlyMap<string, Codec> = new Map(
  [
    arpCodec,
    dstoptsCodec,
    ethCodec,
    fragmentCodec,
    geneveCodec,
    greCodec,
    gueCodec,
    hopoptsCodec,
    icmpCodec,
    icmpv6Codec,
    ipv4Codec,
    ipv6Codec,
    mplsCodec,
    rawCodec,
    routingCodec,
    sctpCodec,
    srhCodec,
    tcpCodec,
    tcpStubCodec,
    trailerCodec,
    udpCodec,
    vlanCodec,
    vxlanCodec,
  ].map((codec) => [codec.kind, codec]),
);

/** The codec of a kind of layer, or undefined if there is no such kind. */
export function findCodec(kind: string): Codec | undefined {
  return codecs.get(kind);
}

/** The names of all kinds, sorted. */
export const layerKinds: readonly LayerKind[] = Object.freeze([...codecs.keys()].sort() as LayerKind[]);

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
};
