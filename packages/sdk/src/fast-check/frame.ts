/**
 * What a packet consists of, as a record with every part that there may be and the choices between them.
 *
 * A grammar of alternatives would be shorter, but it would not shrink: fast-check leaves an alternative only for a
 * value made at random. Here each choice goes to its first value, and each optional part goes away, with all else kept.
 */
import fc from 'fast-check';
import { type LayerSpec, payload, udp } from '../packet/index.ts';
import {
  type ArbitraryKind,
  deferredLayer,
  icmpError,
  icmpv6Error,
  type LayerArbitraries,
  neighbourDiscovery,
} from './layer.ts';
import type { PacketOptions } from './valid-packet.ts';
import { bits } from './values.ts';

type Family = 'ipv4' | 'ipv6';

/** A layer that is made when it is needed. */
type Deferred = () => LayerSpec;

/** An IP header, and what comes between it and the next one, if there is a next one. */
interface Level {
  readonly family: Family;
  readonly ipv4: Deferred;
  readonly ipv6: Deferred;
  /** Extension headers of IPv6, those that are there. */
  readonly extensions: readonly (Deferred | null)[];
  readonly how: 'ip' | 'gre' | 'gue' | 'vxlan' | 'geneve' | 'error';
  readonly sport: number;
  readonly between: {
    readonly [K in 'eth' | 'gre' | 'gue' | 'vxlan' | 'geneve' | 'icmp' | 'icmpv6']: Deferred;
  };
}

/** A plan of a packet; {@link layersOf} carries it out. */
export interface Frame {
  readonly eth: Deferred;
  readonly tags: readonly Deferred[];
  readonly carries: 'ip' | 'arp';
  readonly arp: Deferred;
  readonly mpls: Deferred | null;
  /** The innermost is the last. */
  readonly levels: readonly Level[];
  /** The only IP header where there is no level: an array shrinks from either end only if it may become empty. */
  readonly plain: Deferred;
  readonly transport: 'udp' | 'tcp' | 'echo' | 'sctp' | 'discovery';
  readonly transports: {
    readonly [K in 'udp' | 'tcp' | 'icmp' | 'icmpv6' | 'sctp' | 'discovery']: Deferred;
  };
  readonly payload: Uint8Array;
}

export function frame({ maxDepth, maxPayloadBytes, layers }: Required<PacketOptions>): fc.Arbitrary<Frame> {
  const of = (kind: ArbitraryKind): fc.Arbitrary<Deferred> =>
    deferredLayer(kind, layers[kind] as LayerArbitraries<ArbitraryKind>);
  const level = fc.record({
    family: fc.constantFrom<Family>('ipv4', 'ipv6'),
    ipv4: of('ipv4'),
    ipv6: of('ipv6'),
    // In the order that RFC 8200 recommends, section 4.1.
    extensions: fc.tuple(
      ...(['hopopts', 'srh', 'fragment', 'dstopts'] as const).map((kind) => rarely(of(kind))),
    ),
    how: fc.constantFrom<Level['how']>('ip', 'gre', 'gue', 'vxlan', 'geneve', 'error'),
    sport: bits(16),
    between: fc.record({
      eth: of('eth'),
      gre: of('gre'),
      gue: of('gue'),
      vxlan: of('vxlan'),
      geneve: of('geneve'),
      icmp: icmpError().map(given),
      icmpv6: icmpv6Error().map(given),
    }),
  });
  return fc.record({
    eth: of('eth'),
    tags: fc.array(of('vlan'), { maxLength: 2 }),
    // One in eight is ARP.
    carries: fc.constantFrom<Frame['carries']>(...Array<'ip'>(7).fill('ip'), 'arp'),
    arp: of('arp'),
    mpls: rarely(of('mpls')),
    levels: fc.array(level, { maxLength: maxDepth + 1 }),
    plain: of('ipv4'),
    transport: fc.constantFrom<Frame['transport']>('udp', 'tcp', 'echo', 'sctp', 'discovery'),
    transports: fc.record({
      udp: of('udp'),
      tcp: of('tcp'),
      icmp: of('icmp'),
      icmpv6: of('icmpv6'),
      sctp: of('sctp'),
      discovery: neighbourDiscovery().map(given),
    }),
    payload: fc.uint8Array({ maxLength: maxPayloadBytes }),
  });
}

export function layersOf(plan: Frame): readonly LayerSpec[] {
  return chosen(plan).map((make) => make());
}

function chosen(plan: Frame): readonly Deferred[] {
  const link = [plan.eth, ...plan.tags];
  if (plan.carries === 'arp') return [...link, plan.arp];
  if (plan.mpls !== null) link.push(plan.mpls);
  if (plan.levels.length === 0) return [...link, plan.plain, ...transport(plan, 'ipv4')];
  const families = plan.levels.map(({ family }) => family);
  // An error quotes a packet of its own family.
  for (let i = 1; i < families.length; i++)
    if (plan.levels[i - 1]!.how === 'error') families[i] = families[i - 1]!;
  const innermost = families.length - 1;
  const levels = plan.levels.flatMap((level, i) => [
    ...network(level, families[i]!),
    ...(i < innermost ? between(level, families[i]!) : []),
  ]);
  return [...link, ...levels, ...transport(plan, families[innermost]!)];
}

function network({ ipv4, ipv6, extensions }: Level, family: Family): readonly Deferred[] {
  return family === 'ipv4' ? [ipv4] : [ipv6, ...extensions.filter((one) => one !== null)];
}

function between({ how, sport, between: layers }: Level, family: Family): readonly Deferred[] {
  switch (how) {
    case 'ip':
      return [];
    case 'gre':
      return [layers.gre];
    case 'gue':
      return [() => udp({ sport }), layers.gue];
    case 'vxlan':
      return [() => udp({ sport }), layers.vxlan, layers.eth];
    case 'geneve':
      return [() => udp({ sport }), layers.geneve, layers.eth];
    case 'error':
      return [family === 'ipv4' ? layers.icmp : layers.icmpv6];
  }
}

/** Neighbour discovery is a part of IPv6 alone, and has no payload; in IPv4 UDP stands in for it. */
function transport(
  { transport: wanted, transports, payload: bytes }: Frame,
  family: Family,
): readonly Deferred[] {
  if (wanted === 'discovery') {
    return family === 'ipv6' ? [transports.discovery] : [transports.udp, () => payload(bytes)];
  }
  const kind = wanted === 'echo' ? (family === 'ipv4' ? 'icmp' : 'icmpv6') : wanted;
  return [transports[kind], () => payload(bytes)];
}

/** Mostly null, and it shrinks to that. */
function rarely<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.oneof(
    { withCrossShrink: true },
    { arbitrary: fc.constant(null), weight: 5 },
    { arbitrary, weight: 1 },
  );
}

function given(layer: LayerSpec): Deferred {
  return () => layer;
}
