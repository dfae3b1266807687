import { describe, expect, test } from 'vitest';
import {
  arp,
  dissect,
  eth,
  formatLine,
  formatTree,
  geneve,
  gre,
  gue,
  hexdump,
  icmp,
  icmpv6,
  ipv4,
  ipv6,
  mpls,
  packet,
  payload,
  sctp,
  srh,
  tcp,
  udp,
  vlan,
  vxlan,
} from 'xdptest/packet';

const plain = packet(eth(), ipv4({ dst: '192.0.2.1' }), udp({ dport: 443 }), payload(new Uint8Array(22)));
const tunnel = packet(eth(), ipv4({ dst: '10.9.9.9' }), udp(), gue(), plain.slice('ipv4'));

describe('a packet in one line', () => {
  test.for([
    [plain, '10.0.0.1:1234 > 192.0.2.1:443 UDP 64 B'],
    [packet(eth(), ipv6(), tcp({ dport: 443 })), '[2001:db8::1]:1234 > [2001:db8::2]:443 TCP SYN 74 B'],
    [tunnel, '10.0.0.1:1234 > 10.9.9.9:6080 UDP GUE | 10.0.0.1:1234 > 192.0.2.1:443 UDP 96 B'],
    [packet(eth(), arp()), '02:00:00:00:00:01 > 02:00:00:00:00:02 ARP who has 10.0.0.2? tell 10.0.0.1 42 B'],
    [
      packet(eth(), vlan({ vid: 5 }), ipv4(), tcp({ flags: [] })),
      '10.0.0.1:1234 > 10.0.0.2:80 VLAN 5 TCP 58 B',
    ],
    [packet(eth(), ipv4(), icmp({ id: 3, seq: 4 })), '10.0.0.1 > 10.0.0.2 ICMP echo request id 3 seq 4 42 B'],
    [
      packet(eth(), ipv4(), icmp({ type: 3, code: 3 }), ipv4(), udp()),
      '10.0.0.1 > 10.0.0.2 ICMP unreachable code 3 | 10.0.0.1:1234 > 10.0.0.2:9 UDP 70 B',
    ],
    [
      packet(eth(), ipv6(), icmpv6({ type: 135, target: 'fe80::1' })),
      '2001:db8::1 > 2001:db8::2 ICMPv6 neighbor solicitation fe80::1 78 B',
    ],
    [
      packet(eth(), ipv4(), udp(), vxlan({ vni: 7 }), eth(), ipv6(), tcp()),
      '10.0.0.1:1234 > 10.0.0.2:4789 UDP VXLAN 7 | [2001:db8::1]:1234 > [2001:db8::2]:80 TCP SYN 124 B',
    ],
    [
      packet(eth(), mpls({ label: 99 }), ipv4(), gre({ key: 5 }), ipv4(), sctp()),
      '10.0.0.1 > 10.0.0.2 MPLS 99 GRE key 5 | 10.0.0.1:1234 > 10.0.0.2:9 SCTP 78 B',
    ],
    [
      packet(
        eth(),
        ipv6(),
        srh({ segments: ['2001:db8::9'], segmentsLeft: 1 }),
        udp(),
        geneve({ vni: 3 }),
        ipv4(),
      ),
      '[2001:db8::1]:1234 > [2001:db8::2]:6081 SRv6 1 left UDP Geneve 3 | 10.0.0.1 > 10.0.0.2 114 B',
    ],
    [
      packet(eth(), ipv4({ id: 9, fragmentOffset: 185, protocol: 17 }), payload('x')),
      '10.0.0.1 > 10.0.0.2 fragment 9@1480 35 B',
    ],
    [packet(eth(), payload('x')), '02:00:00:00:00:01 > 02:00:00:00:00:02 type 0x88b5 15 B'],
    [dissect(new Uint8Array(5)), '(5 bytes, but an Ethernet header has 14) 5 B'],
    [dissect(new Uint8Array(0)), '0 B'],
  ] as const)('%s', ([shown, line]) => {
    expect(formatLine(shown)).toBe(line);
    expect(String(shown)).toBe(line);
  });

  test('of bytes is that of the packet in them', () => {
    expect(formatLine(plain.bytes)).toBe(formatLine(plain));
  });
});

test('a packet as a tree, with wrong lengths and checksums pointed out', () => {
  const wrong = packet(
    eth(),
    ipv4({ checksum: 1, ttl: 1, totalLength: 99 }),
    udp({ checksum: 0 }),
    payload('ab'),
  );
  expect(`${formatTree(wrong)}\n`).toBe(`Ethernet (eth) @0, 14 B
  dst              02:00:00:00:00:02
  src              02:00:00:00:00:01
  type             0x0800
IPv4 @14, 20 B
  version          4
  ihl              5
  dscp             0
  ecn              0
  totalLength      99  (should be 30)
  id               0
  reserved         false
  df               false
  mf               false
  fragmentOffset   0
  ttl              1
  protocol         17
  checksum         0x0001  (should be 0xa588)
  src              10.0.0.1
  dst              10.0.0.2
  options          (none)
UDP @34, 8 B
  sport            1234
  dport            9
  length           10
  checksum         0x0000
Raw bytes (raw) @42, 2 B
  bytes            61 62
`);
});

test('a tree says why bytes were not dissected', () => {
  expect(formatTree(packet(eth({ type: 0x1234 }), payload('ab')).bytes)).toContain(
    'reason           ethertype 0x1234 is not dissected',
  );
});

describe('a hexdump', () => {
  const dumped = packet(eth(), ipv4({ dst: '192.0.2.1' }), udp(), payload('Hello!'));

  test('names the layers', () => {
    expect(hexdump(dumped)).toBe(
      `
0000  02 00 00 00 00 02 02 00  00 00 00 01 08 00 45 00  ..............E.
      eth--------------------------------------- ipv4-
0010  00 22 00 00 00 00 40 11  ae c9 0a 00 00 01 c0 00  ."....@.........
      ------------------------------------------------
0020  02 01 04 d2 00 09 00 0e  0b 02 48 65 6c 6c 6f 21  ..........Hello!
      ----- udp--------------------- raw--------------`.slice(1),
    );
  });

  test('marks the fields that are asked for', () => {
    expect(hexdump(dumped, { fields: ['ipv4.ttl', 'ipv4.dst', 'ipv4.dscp', 'ipv4.ecn'] })).toBe(
      `
0000  02 00 00 00 00 02 02 00  00 00 00 01 08 00 45 00  ..............E.
                                                    ^^  ipv4.dscp, ipv4.ecn
0010  00 22 00 00 00 00 40 11  ae c9 0a 00 00 01 c0 00  ."....@.........
                        ^^                       ^^^^^  ipv4.ttl, ipv4.dst
0020  02 01 04 d2 00 09 00 0e  0b 02 48 65 6c 6c 6f 21  ..........Hello!
      ^^^^^`.slice(1),
    );
  });

  test('of nothing says so', () => {
    expect(hexdump(new Uint8Array(0))).toBe('(no bytes)');
  });
});
