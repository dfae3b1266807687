/** tshark as an independent judge: what it makes of packets, and what it should make of ours. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { captureBytes, type Layer, type LayerKind, type Layers, type Packet } from 'xdptest/packet';

/** Why tshark cannot judge here; undefined if it can. */
export function whyNoTshark(): string | undefined {
  try {
    execFileSync('tshark', ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'tshark is not installed (apt install tshark)';
  }
}

type Value = string | number | boolean | readonly (string | number)[];
type Columns<K extends LayerKind> = {
  readonly [tsharkField: string]: (layer: Layers[K]) => Value | undefined;
};

const bits = (value: boolean) => (value ? 1 : 0);
const hexBytes = (value: number, digits: number) => value.toString(16).padStart(digits, '0');

/** Under a source route tshark shows the end of the route as the destination, and the header's apart. */
function finalDestination({ dst, options }: Layers['ipv4']): string {
  const route = options.find(({ type }) => type === 'looseSourceRoute');
  return (route !== undefined && 'addresses' in route ? route.addresses.at(-1) : undefined) ?? dst;
}

/** For each kind of layer: the fields that tshark shows of it, with the values that they should have. */
const columns: { readonly [K in LayerKind]?: Columns<K> } = {
  eth: { 'eth.dst': (l) => l.dst, 'eth.src': (l) => l.src, 'eth.type': (l) => l.type },
  vlan: {
    'vlan.priority': (l) => l.pcp,
    'vlan.dei': (l) => bits(l.dei),
    'vlan.id': (l) => l.vid,
    'vlan.etype': (l) => l.type,
  },
  mpls: {
    'mpls.label': (l) => l.label,
    'mpls.exp': (l) => l.tc,
    'mpls.bottom': (l) => bits(l.bottom),
    'mpls.ttl': (l) => l.ttl,
  },
  arp: {
    'arp.opcode': (l) => l.op,
    'arp.src.hw_mac': (l) => l.senderMac,
    'arp.src.proto_ipv4': (l) => l.senderIp,
    'arp.dst.hw_mac': (l) => l.targetMac,
    'arp.dst.proto_ipv4': (l) => l.targetIp,
  },
  ipv4: {
    'ip.hdr_len': (l) => l.ihl * 4,
    'ip.dsfield.dscp': (l) => l.dscp,
    'ip.dsfield.ecn': (l) => l.ecn,
    'ip.len': (l) => l.totalLength,
    'ip.id': (l) => l.id,
    'ip.flags.df': (l) => bits(l.df),
    'ip.flags.mf': (l) => bits(l.mf),
    'ip.frag_offset': (l) => l.fragmentOffset * 8,
    'ip.ttl': (l) => l.ttl,
    'ip.proto': (l) => l.protocol,
    'ip.checksum': (l) => l.checksum,
    'ip.src': (l) => l.src,
    'ip.dst': finalDestination,
    'ip.cur_rt': (l) => (finalDestination(l) === l.dst ? undefined : l.dst),
  },
  ipv6: {
    'ipv6.tclass.dscp': (l) => l.dscp,
    'ipv6.tclass.ecn': (l) => l.ecn,
    'ipv6.flow': (l) => l.flowLabel,
    'ipv6.plen': (l) => l.payloadLength,
    'ipv6.nxt': (l) => l.nextHeader,
    'ipv6.hlim': (l) => l.hopLimit,
    'ipv6.src': (l) => l.src,
    'ipv6.dst': (l) => l.dst,
  },
  hopopts: { 'ipv6.hopopts.nxt': (l) => l.nextHeader, 'ipv6.hopopts.len': (l) => l.length },
  dstopts: { 'ipv6.dstopts.nxt': (l) => l.nextHeader, 'ipv6.dstopts.len': (l) => l.length },
  routing: {
    'ipv6.routing.nxt': (l) => l.nextHeader,
    'ipv6.routing.len': (l) => l.length,
    'ipv6.routing.type': (l) => l.routingType,
    'ipv6.routing.segleft': (l) => l.segmentsLeft,
  },
  srh: {
    'ipv6.routing.nxt': (l) => l.nextHeader,
    'ipv6.routing.len': (l) => l.length,
    'ipv6.routing.type': (l) => l.routingType,
    'ipv6.routing.segleft': (l) => l.segmentsLeft,
    'ipv6.routing.srh.last_entry': (l) => l.lastEntry,
    'ipv6.routing.srh.flags': (l) => l.flags,
    'ipv6.routing.srh.tag': (l) => hexBytes(l.tag, 4),
    'ipv6.routing.srh.addr': (l) => l.segments,
  },
  fragment: {
    'ipv6.fraghdr.nxt': (l) => l.nextHeader,
    'ipv6.fraghdr.offset': (l) => l.fragmentOffset,
    'ipv6.fraghdr.more': (l) => bits(l.mf),
    'ipv6.fraghdr.ident': (l) => l.id,
  },
  tcp: {
    'tcp.srcport': (l) => l.sport,
    'tcp.dstport': (l) => l.dport,
    'tcp.seq_raw': (l) => l.seq,
    'tcp.ack_raw': (l) => l.ack,
    'tcp.hdr_len': (l) => l.dataOffset * 4,
    'tcp.flags': (l) => l.flags,
    'tcp.window_size_value': (l) => l.window,
    'tcp.checksum': (l) => l.checksum,
    'tcp.urgent_pointer': (l) => l.urgent,
    'tcp.options.mss_val': (l) => l.options.flatMap((o) => (o.type === 'mss' ? [o.mss] : [])),
    'tcp.options.wscale.shift': (l) => l.options.flatMap((o) => (o.type === 'windowScale' ? [o.shift] : [])),
    'tcp.options.timestamp.tsval': (l) =>
      l.options.flatMap((o) => (o.type === 'timestamps' ? [o.value] : [])),
    'tcp.options.timestamp.tsecr': (l) => l.options.flatMap((o) => (o.type === 'timestamps' ? [o.echo] : [])),
    'tcp.options.sack_le': (l) =>
      l.options.flatMap((o) => (o.type === 'sack' ? o.blocks.map(({ left }) => left) : [])),
    'tcp.options.sack_re': (l) =>
      l.options.flatMap((o) => (o.type === 'sack' ? o.blocks.map(({ right }) => right) : [])),
  },
  tcpStub: { 'tcp.srcport': (l) => l.sport, 'tcp.dstport': (l) => l.dport },
  udp: {
    'udp.srcport': (l) => l.sport,
    'udp.dstport': (l) => l.dport,
    'udp.length': (l) => l.length,
    'udp.checksum': (l) => l.checksum,
  },
  sctp: {
    'sctp.srcport': (l) => l.sport,
    'sctp.dstport': (l) => l.dport,
    'sctp.verification_tag': (l) => l.tag,
    'sctp.checksum': (l) => l.checksum,
  },
  icmp: {
    'icmp.type': (l) => l.type,
    'icmp.code': (l) => l.code,
    'icmp.checksum': (l) => l.checksum,
    'icmp.ident': (l) => l.id,
    'icmp.seq': (l) => l.seq,
    'icmp.redir_gw': (l) => l.gateway,
    'icmp.mtu': (l) => l.mtu,
  },
  icmpv6: {
    'icmpv6.type': (l) => l.type,
    'icmpv6.code': (l) => l.code,
    'icmpv6.checksum': (l) => l.checksum,
    'icmpv6.echo.identifier': (l) => l.id,
    'icmpv6.echo.sequence_number': (l) => l.seq,
    'icmpv6.mtu': (l) => l.mtu,
    'icmpv6.nd.ns.target_address': (l) => (l.type === 135 ? l.target : undefined),
    'icmpv6.nd.na.target_address': (l) => (l.type === 136 ? l.target : undefined),
    'icmpv6.nd.na.flag.r': (l) => (l.router === undefined ? undefined : bits(l.router)),
    'icmpv6.nd.na.flag.s': (l) => (l.solicited === undefined ? undefined : bits(l.solicited)),
    'icmpv6.nd.na.flag.o': (l) => (l.override === undefined ? undefined : bits(l.override)),
    'icmpv6.nd.ra.cur_hop_limit': (l) => l.hopLimit,
    'icmpv6.nd.ra.router_lifetime': (l) => l.routerLifetime,
    'icmpv6.nd.ra.reachable_time': (l) => l.reachableTime,
    'icmpv6.nd.ra.retrans_timer': (l) => l.retransTimer,
    'icmpv6.opt.src_linkaddr': (l) => l.options?.flatMap((o) => (o.type === 'sourceMac' ? [o.mac] : [])),
    'icmpv6.opt.target_linkaddr': (l) => l.options?.flatMap((o) => (o.type === 'targetMac' ? [o.mac] : [])),
    'icmpv6.opt.mtu': (l) => l.options?.flatMap((o) => (o.type === 'mtu' ? [o.mtu] : [])),
    'icmpv6.opt.prefix': (l) => l.options?.flatMap((o) => (o.type === 'prefix' ? [o.prefix] : [])),
    'icmpv6.opt.prefix.valid_lifetime': (l) =>
      l.options?.flatMap((o) => (o.type === 'prefix' ? [o.validLifetime] : [])),
  },
  gre: {
    'gre.flags_and_version': (l) => l.flags * 8 + l.version,
    'gre.proto': (l) => l.protocol,
    'gre.checksum': (l) => l.checksum,
    'gre.key': (l) => l.key,
    'gre.sequence_number': (l) => l.seq,
  },
  vxlan: { 'vxlan.vni': (l) => l.vni, 'vxlan.flag_i': (l) => (l.flags >> 3) & 1 },
  geneve: {
    'geneve.version': (l) => l.version,
    'geneve.flags.oam': (l) => bits(l.control),
    'geneve.flags.critical': (l) => bits(l.critical),
    'geneve.proto_type': (l) => l.protocol,
    'geneve.vni': (l) => l.vni,
    'geneve.option.class': (l) => l.options.flatMap((o) => (o.type === 'option' ? [o.class] : [])),
    'geneve.option.type': (l) => l.options.flatMap((o) => (o.type === 'option' ? [o.code] : [])),
  },
};

/** The checksums that tshark judges, by kind of layer. */
export const verdictFields: { readonly [K in LayerKind]?: string } = {
  ipv4: 'ip.checksum.status',
  tcp: 'tcp.checksum.status',
  udp: 'udp.checksum.status',
  icmp: 'icmp.checksum.status',
  icmpv6: 'icmpv6.checksum.status',
  sctp: 'sctp.checksum.status',
  gre: 'gre.checksum.status',
};

/** tshark's verdicts: see proto_checksum_enum_e in its epan/proto.h. */
export const verdicts = { bad: '0', good: '1', unverified: '2', absent: '3' } as const;

/** A service tag (802.1ad) is a protocol of its own to tshark. */
const serviceTag: Columns<'vlan'> = {
  'ieee8021ad.priority': (l) => l.pcp,
  'ieee8021ad.dei': (l) => bits(l.dei),
  'ieee8021ad.id': (l) => l.vid,
};

const valueFields = [
  ...new Set([...Object.values(columns), serviceTag].flatMap((fields) => Object.keys(fields))),
];
const allFields = [...valueFields, ...Object.values(verdictFields)];

/** One packet as tshark sees it: for each field all of its values in order. */
export type Seen = ReadonlyMap<string, readonly string[]>;

/** Has tshark dissect packets. */
export function tshark(packets: readonly (Packet | Uint8Array)[], linkType = 1): Seen[] {
  const folder = mkdtempSync(join(tmpdir(), 'xdptest-tshark-'));
  try {
    const file = join(folder, 'packets.pcapng');
    writeFileSync(file, captureBytes(packets, { interfaces: [{ linkType }] }));
    const options = ['ip.check_checksum', 'tcp.check_checksum', 'udp.check_checksum'].map(
      (name) => `${name}:TRUE`,
    );
    // Fragments and streams would be put together over packets that have nothing to do with each other.
    options.push('ip.defragment:FALSE', 'ipv6.defragment:FALSE', 'tcp.desegment_tcp_streams:FALSE');
    options.push('sctp.checksum:CRC 32c', 'tcp.analyze_sequence_numbers:FALSE');
    const output = execFileSync(
      'tshark',
      [
        ...[
          '-r',
          file,
          '-n',
          '-T',
          'fields',
          '-E',
          'separator=/t',
          '-E',
          'occurrence=a',
          '-E',
          'aggregator=|',
        ],
        ...options.flatMap((option) => ['-o', option]),
        ...allFields.flatMap((name) => ['-e', name]),
      ],
      {
        encoding: 'utf8',
        maxBuffer: 2 ** 28,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, TZ: 'UTC' },
      },
    );
    return output
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => {
        const cells = line.split('\t');
        return new Map(allFields.map((name, i) => [name, cells[i] ? cells[i].split('|') : []]));
      });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What tshark should see of layers: for each field all values in order. */
export function expectedOf(layers: readonly Layer[]): Seen {
  const seen = new Map<string, string[]>(valueFields.map((name) => [name, []]));
  for (const [i, layer] of layers.entries()) {
    const before = layers[i - 1];
    const isServiceTag =
      layer.kind === 'vlan' && before !== undefined && 'type' in before && before.type === 0x88a8;
    for (const [name, read] of Object.entries((isServiceTag ? serviceTag : columns[layer.kind]) ?? {})) {
      const value = (read as (layer: Layer) => Value | undefined)(layer);
      if (value !== undefined) seen.get(name)!.push(...(Array.isArray(value) ? value : [value]).map(String));
    }
  }
  return seen;
}

/** The fields in which tshark differs, as text; numbers are compared as numbers however they are written. */
export function differences(expected: Seen, seen: Seen): string[] {
  return valueFields.flatMap((name) => {
    const ours = expected.get(name)!.map(plain).join(' ');
    const theirs = seen.get(name)!.map(plain).join(' ');
    return ours === theirs ? [] : [`${name}: ours ${ours || '-'}, tshark's ${theirs || '-'}`];
  });
}

function plain(value: string): string {
  if (value === 'True' || value === 'False') return value === 'True' ? '1' : '0';
  return /^(0x[0-9a-f]+|\d+)$/i.test(value) ? String(Number(value)) : value;
}
