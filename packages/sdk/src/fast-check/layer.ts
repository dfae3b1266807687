/** Arbitrary layers. What a layer has to compute (lengths, checksums, the type of the next one) is left to it. */
import fc from 'fast-check';
import { invalidArgument } from '../errors.ts';
import {
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
  type LayerFields,
  type LayerKind,
  type LayerSpec,
  mpls,
  payload,
  sctp,
  srh,
  tcp,
  udp,
  vlan,
  vxlan,
} from '../packet/index.ts';
import { geneveOptions, ipv4Options, ipv6Options, ndOptions, tcpOptions } from './option-lists.ts';
import { bits, ipv4Address, ipv6Address, macAddress, plainPort } from './values.ts';

/** Arbitraries for some fields of a layer. */
export type LayerArbitraries<K extends LayerKind> = {
  readonly [F in keyof LayerFields<K>]?: fc.Arbitrary<Exclude<LayerFields<K>[F], undefined>>;
};

/** The kinds of layers that {@link layer} makes. */
export type ArbitraryKind = keyof typeof models;

const dscp = { dscp: bits(6), ecn: bits(2) };
const id = { id: bits(16), seq: bits(16) };

/** For each kind the fields that may have any value without making the packet an invalid one. */
const models = {
  eth: () => ({ dst: macAddress(), src: macAddress() }),
  vlan: () => ({ pcp: bits(3), dei: fc.boolean(), vid: bits(12) }),
  arp: () => ({
    op: fc.constantFrom(1, 2),
    senderMac: macAddress(),
    senderIp: ipv4Address(),
    targetMac: macAddress(),
    targetIp: ipv4Address(),
  }),
  ipv4: () => ({
    ...dscp,
    id: bits(16),
    df: fc.boolean(),
    ttl: bits(8),
    src: ipv4Address(),
    dst: ipv4Address(),
    options: ipv4Options(),
  }),
  ipv6: () => ({ ...dscp, flowLabel: bits(20), hopLimit: bits(8), src: ipv6Address(), dst: ipv6Address() }),
  hopopts: () => ({ options: ipv6Options() }),
  dstopts: () => ({ options: ipv6Options() }),
  // Whole datagrams alone: of another fragment nothing can be dissected.
  fragment: () => ({ id: bits(32) }),
  srh: () => ({
    tag: bits(16),
    segments: fc.array(ipv6Address(), { minLength: 1, maxLength: 3 }),
  }),
  tcp: () => ({
    sport: bits(16),
    dport: bits(16),
    seq: bits(32),
    ack: bits(32),
    flags: bits(8),
    window: bits(16),
    urgent: bits(16),
    options: tcpOptions(),
  }),
  udp: () => ({ sport: bits(16), dport: plainPort() }),
  icmp: () => ({ type: fc.constantFrom(8, 0), code: fc.constant(0), ...id }),
  icmpv6: () => ({ type: fc.constantFrom(128, 129), code: fc.constant(0), ...id }),
  sctp: () => ({ sport: bits(16), dport: bits(16), tag: bits(32) }),
  gre: () => ({ checksum: fc.constant('auto' as const), key: bits(32), seq: bits(32) }),
  gue: () => ({}),
  vxlan: () => ({ vni: bits(24) }),
  geneve: () => ({ vni: bits(24), options: geneveOptions() }),
  mpls: () => ({ label: fc.integer({ min: 16, max: 2 ** 20 - 1 }), tc: bits(3), ttl: bits(8) }),
} satisfies { readonly [K in LayerKind]?: () => LayerArbitraries<K> };

const builders = {
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
  mpls,
  sctp,
  srh,
  tcp,
  udp,
  vlan,
  vxlan,
} satisfies { readonly [K in ArbitraryKind]: LayerBuilder<K> };

/** All of them. */
export const kinds: readonly string[] = Object.keys(models);

/** Fields without which a layer is not a valid one. */
const required: { readonly [K in ArbitraryKind]?: readonly string[] } = { srh: ['segments'] };

/**
 * A layer of one kind. Each field is either left out, which is what it shrinks to, or has any value that leaves the
 * packet a valid one. `fields` replaces or adds arbitraries; those fields are always there.
 */
export function layer<K extends ArbitraryKind>(
  kind: K,
  fields: LayerArbitraries<K> = {},
): fc.Arbitrary<LayerSpec<K>> {
  return deferredLayer(kind, fields).map((make) => make());
}

/** The same, but the layer is only made when it is called for: of the parts of a plan most are not needed. */
export function deferredLayer<K extends ArbitraryKind>(
  kind: K,
  fields: LayerArbitraries<K> = {},
): fc.Arbitrary<() => LayerSpec<K>> {
  const model = models[kind] as (() => LayerArbitraries<K>) | undefined;
  if (model === undefined) {
    throw invalidArgument(`layer: no arbitrary for ${JSON.stringify(kind)}; known are ${kinds.join(', ')}`);
  }
  const build = builders[kind] as unknown as LayerBuilder<K>;
  const all = { ...model(), ...fields } as Record<string, fc.Arbitrary<unknown>>;
  return fc
    .record(all, {
      requiredKeys: [...Object.keys(fields), ...(required[kind] ?? [])],
      noNullPrototype: true,
    })
    .map((values) => () => build(values as LayerFields<K>));
}

/** A payload of up to `maxLength` bytes. */
export function payloadLayer(maxLength = 64): fc.Arbitrary<LayerSpec<'raw'>> {
  return fc.uint8Array({ maxLength }).map((bytes) => payload(bytes));
}

/** An ICMP error; the packet that it quotes comes after it. */
export function icmpError(): fc.Arbitrary<LayerSpec<'icmp'>> {
  return fc
    .record({ type: fc.constantFrom(3, 11), code: fc.integer({ min: 0, max: 1 }) })
    .map((fields) => icmp(fields));
}

/** An ICMPv6 error; the packet that it quotes comes after it. */
export function icmpv6Error(): fc.Arbitrary<LayerSpec<'icmpv6'>> {
  return fc.record({ type: fc.constantFrom(1, 2, 3), code: fc.constant(0) }).map((fields) => icmpv6(fields));
}

/** A message of neighbour discovery. */
export function neighbourDiscovery(): fc.Arbitrary<LayerSpec<'icmpv6'>> {
  return fc.oneof(
    fc
      .record({ type: fc.constantFrom(135, 136), target: ipv6Address(), options: ndOptions() })
      .map((fields) => icmpv6(fields)),
    fc.record({ type: fc.constantFrom(133, 134), options: ndOptions() }).map((fields) => icmpv6(fields)),
  );
}
