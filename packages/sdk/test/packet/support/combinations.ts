/** Packets of every combination of link, tunnel, IP version, and transport, with random values in their fields. */
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
  mpls,
  type Packet,
  type PacketPart,
  packet,
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
} from 'xdptest/packet';
import { Random } from './random.ts';

type Maker = (random: Random) => readonly PacketPart[];

const link = (random: Random) => eth({ src: random.mac(), dst: random.mac() });
const tag = (random: Random) =>
  vlan({ vid: 1 + random.upTo(4093), pcp: random.upTo(7), dei: random.upTo(1) === 1 });
const label = (random: Random) =>
  mpls({ label: 16 + random.upTo(1_000_000), tc: random.upTo(7), ttl: random.upTo(255) });
const v4 = (random: Random) =>
  ipv4({
    src: random.ipv4(),
    dst: random.ipv4(),
    ttl: 1 + random.upTo(254),
    id: random.upTo(65_535),
    dscp: random.upTo(63),
    ecn: random.upTo(3),
    df: random.upTo(1) === 1,
  });
/** With options, and a source route under way: the final destination is in the checksum of what follows. */
const v4Options = (random: Random) =>
  ipv4({
    src: random.ipv4(),
    dst: random.ipv4(),
    options: [
      { type: 'routerAlert', value: 0 },
      { type: 'nop' },
      { type: 'looseSourceRoute', pointer: 4, addresses: [random.ipv4(), random.ipv4()] },
    ],
  });
const v6 = (random: Random) =>
  ipv6({
    src: random.ipv6(),
    dst: random.ipv6(),
    hopLimit: 1 + random.upTo(254),
    flowLabel: random.upTo(0xfffff),
    dscp: random.upTo(63),
    ecn: random.upTo(3),
  });
const data = (random: Random) => payload(random.bytes(1 + random.upTo(39)).fill(0xab));
const ports = (random: Random) => ({ sport: random.port(), dport: random.port() });

export const links: Readonly<Record<string, Maker>> = {
  plain: (random) => [link(random)],
  vlan: (random) => [link(random), tag(random)],
  qinq: (random) => [link(random), tag(random), tag(random)],
  mpls: (random) => [link(random), label(random)],
  mplsStack: (random) => [link(random), label(random), label(random), label(random)],
};

/** What lies between two IP headers. */
export const tunnels: Readonly<Record<string, Maker>> = {
  ipip: () => [],
  gre: () => [gre()],
  greKey: (random) => [gre({ key: random.upTo(0xffffffff) })],
  greAll: (random) => [gre({ checksum: 'auto', key: random.upTo(0xffff), seq: random.upTo(0xffff) })],
  greEth: (random) => [gre({ key: 7 }), link(random)],
  gue: (random) => [udp({ sport: random.port() }), gue()],
  gueData: (random) => [udp({ sport: random.port() }), gue({ flags: 0x8000, data: random.bytes(8) })],
  gueDirect: (random) => [udp({ sport: random.port() })],
  vxlan: (random) => [udp({ sport: random.port() }), vxlan({ vni: random.upTo(0xffffff) }), link(random)],
  vxlanNoSum: (random) => [udp({ sport: random.port(), checksum: 0 }), vxlan({ vni: 1 }), link(random)],
  geneve: (random) => [udp({ sport: random.port() }), geneve({ vni: random.upTo(0xffffff) })],
  geneveOptions: (random) => [
    udp({ sport: random.port() }),
    geneve({
      vni: random.upTo(0xffffff),
      options: [
        { type: 'option', class: 0x0102, code: 0x80 | random.upTo(127), data: random.bytes(4) },
        { type: 'option', class: 0x0103, code: random.upTo(127), data: random.bytes(8) },
      ],
    }),
    link(random),
  ],
};

const quoted4 = (random: Random): readonly PacketPart[] => [v4(random), udp(ports(random)), data(random)];
const quoted6 = (random: Random): readonly PacketPart[] => [v6(random), udp(ports(random)), data(random)];

/** What follows IPv4. */
export const after4: Readonly<Record<string, Maker>> = {
  tcp: (random) => [
    tcp({ ...ports(random), seq: random.upTo(0xffffffff), flags: ['ACK', 'PSH'] }),
    data(random),
  ],
  tcpOptions: (random) => [
    tcp({
      ...ports(random),
      flags: ['SYN'],
      options: [
        { type: 'mss', mss: random.upTo(65_535) },
        { type: 'sackPermitted' },
        { type: 'timestamps', value: random.upTo(0xffffffff), echo: random.upTo(0xffffffff) },
        { type: 'nop' },
        { type: 'windowScale', shift: random.upTo(14) },
      ],
    }),
  ],
  tcpSack: (random) => [
    tcp({
      ...ports(random),
      flags: ['ACK'],
      ack: random.upTo(1000),
      options: [
        { type: 'nop' },
        { type: 'nop' },
        { type: 'sack', blocks: [{ left: 2000 + random.upTo(500), right: 3000 + random.upTo(500) }] },
      ],
    }),
  ],
  udp: (random) => [udp(ports(random)), data(random)],
  udpNoSum: (random) => [udp({ ...ports(random), checksum: 0 }), data(random)],
  sctp: (random) => [sctp({ ...ports(random), tag: random.upTo(0xffffffff) }), payload('\x0b\0\0\x04')],
  raw: (random) => [data(random)],
  echo: (random) => [icmp({ id: random.upTo(65_535), seq: random.upTo(65_535) }), data(random)],
  unreachable: (random) => [icmp({ type: 3, code: 4, mtu: 1400 }), ...quoted4(random)],
  exceeded: (random) => [
    icmp({ type: 11 }),
    ipv4({ src: random.ipv4(), totalLength: 60 }),
    tcpStub(ports(random)),
  ],
  icmpRedirect: (random) => [icmp({ type: 5, code: 1, gateway: random.ipv4() }), ...quoted4(random)],
  fragmentRest: (random) => [payload(random.bytes(24).fill(0xcd))],
};

/** What follows IPv6. */
export const after6: Readonly<Record<string, Maker>> = {
  tcp: after4.tcp!,
  tcpOptions: after4.tcpOptions!,
  udp: after4.udp!,
  sctp: after4.sctp!,
  echo: (random) => [icmpv6({ id: random.upTo(65_535), seq: random.upTo(65_535) }), data(random)],
  tooBig: (random) => [icmpv6({ type: 2, mtu: 1280 }), ...quoted6(random)],
  unreachable: (random) => [icmpv6({ type: 1, code: 4 }), ...quoted6(random)],
  solicitation: (random) => [
    icmpv6({ type: 135, target: random.ipv6(), options: [{ type: 'sourceMac', mac: random.mac() }] }),
  ],
  advertisement: (random) => [
    icmpv6({
      type: 136,
      solicited: true,
      override: true,
      target: random.ipv6(),
      options: [{ type: 'targetMac', mac: random.mac() }],
    }),
  ],
  routerSolicitation: (random) => [
    icmpv6({ type: 133, options: [{ type: 'sourceMac', mac: random.mac() }] }),
  ],
  routerAdvertisement: (random) => [
    icmpv6({
      type: 134,
      hopLimit: 64,
      flags: ['other'],
      routerLifetime: random.upTo(9000),
      options: [
        { type: 'mtu', mtu: 1500 },
        {
          type: 'prefix',
          prefix: '2001:db8:1::',
          length: 64,
          flags: 0xc0,
          validLifetime: random.upTo(100_000),
          preferredLifetime: random.upTo(100_000),
        },
      ],
    }),
  ],
  hopopts: (random) => [
    hopopts({ options: [{ type: 'routerAlert', value: 0 }] }),
    udp(ports(random)),
    data(random),
  ],
  dstopts: (random) => [dstopts(), tcp(ports(random)), data(random)],
  routing: (random) => [
    routing({ routingType: 253, data: random.bytes(12) }),
    udp(ports(random)),
    data(random),
  ],
  srhDone: (random) => [
    srh({ segments: [random.ipv6(), random.ipv6()], tag: random.upTo(65_535) }),
    tcp(ports(random)),
    data(random),
  ],
  srh: (random) => [
    srh({ segments: [random.ipv6(), random.ipv6()], segmentsLeft: 1 }),
    udp(ports(random)),
    data(random),
  ],
  fragmentFirst: (random) => [fragment({ id: random.upTo(0xffffffff) }), udp(ports(random)), data(random)],
  allExtensions: (random) => [
    hopopts(),
    dstopts(),
    srh({ segments: [random.ipv6()] }),
    fragment({ id: 1 }),
    dstopts({ options: [{ type: 'padN', size: 14 }] }),
    udp(ports(random)),
    data(random),
  ],
};

export interface Combination {
  readonly name: string;
  readonly packet: Packet;
}

/** One packet for each link, tunnel or none, IP versions, and transport. */
export function combinations(seed: number): Combination[] {
  const random = new Random(seed);
  const all: Combination[] = [];
  const add = (name: string, parts: readonly PacketPart[]) => all.push({ name, packet: packet(...parts) });
  const transports = [
    ...Object.entries(after4).map(([name, maker]) => ({ name: `ipv4/${name}`, ip: v4, maker })),
    { name: 'ipv4Options/tcp', ip: v4Options, maker: after4.tcp! },
    { name: 'ipv4Options/udp', ip: v4Options, maker: after4.udp! },
    ...Object.entries(after6).map(([name, maker]) => ({ name: `ipv6/${name}`, ip: v6, maker })),
  ];
  for (const [linkName, makeLink] of Object.entries(links)) {
    for (const { name, ip, maker } of transports) {
      add(`${linkName}/${name}`, [...makeLink(random), ip(random), ...maker(random)]);
      for (const [tunnelName, makeTunnel] of Object.entries(tunnels)) {
        for (const outer of [v4, v6]) {
          const path = `${linkName}/${outer === v4 ? 'ipv4' : 'ipv6'}/${tunnelName}/${name}`;
          add(path, [
            ...makeLink(random),
            outer(random),
            ...makeTunnel(random),
            ip(random),
            ...maker(random),
          ]);
        }
      }
    }
    if (!linkName.startsWith('mpls'))
      add(`${linkName}/arp`, [
        ...makeLink(random),
        arp({ op: 1 + random.upTo(1), senderIp: random.ipv4(), targetIp: random.ipv4() }),
        trailer(new Uint8Array(18)),
      ]);
  }
  return all;
}
