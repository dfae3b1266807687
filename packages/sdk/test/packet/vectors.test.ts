/** Headers byte by byte as the figures of their standards lay them out, written down by hand. */
import { describe, expect, test } from 'vitest';
import {
  arp,
  dissect,
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
  type LayerSpec,
  mpls,
  packet,
  payload,
  routing,
  sctp,
  srh,
  tcp,
  udp,
  vlan,
  vxlan,
} from 'xdptest/packet';
import { bytesOf, hexOf } from './support/hex.ts';

const A = '2001:db8::a';
const B = '2001:db8::b';
const A_HEX = '20010db8 00000000 00000000 0000000a';
const B_HEX = '20010db8 00000000 00000000 0000000b';

/** The bytes of one layer, before payload of the two bytes beef. */
function headerOf(...layers: LayerSpec[]): string {
  const bytes = packet(...layers, payload(bytesOf('beef'))).bytes;
  expect(hexOf(bytes.subarray(-2))).toBe('beef');
  return hexOf(bytes.subarray(0, -2));
}

describe('headers', () => {
  test.for<[string, LayerSpec, string]>([
    [
      'Ethernet',
      eth({ dst: '01:02:03:04:05:06', src: '0a:0b:0c:0d:0e:0f', type: 0x0800 }),
      '010203040506 0a0b0c0d0e0f 0800',
    ],
    ['802.1Q: PCP 5, DEI, VID 291', vlan({ pcp: 5, dei: true, vid: 0x123, type: 0x0806 }), 'b123 0806'],
    [
      'ARP, RFC 826',
      arp({
        op: 2,
        senderMac: '0a:0b:0c:0d:0e:0f',
        senderIp: '10.0.0.1',
        targetMac: '01:02:03:04:05:06',
        targetIp: '10.0.0.2',
      }),
      '0001 0800 06 04 0002 0a0b0c0d0e0f 0a000001 010203040506 0a000002',
    ],
    [
      'IPv4, RFC 791: the header whose checksum is b861',
      ipv4({ totalLength: 0x73, df: true, ttl: 64, protocol: 17, src: '192.168.0.1', dst: '192.168.0.199' }),
      '4500 0073 0000 4000 4011 b861 c0a80001 c0a800c7',
    ],
    [
      'IPv4 with a fragment offset, DSCP 46 and ECN 1',
      ipv4({ dscp: 46, ecn: 1, mf: true, fragmentOffset: 0x123, checksum: 0, protocol: 6, id: 0xabcd }),
      '45 b9 0016 abcd 2123 40 06 0000 0a000001 0a000002',
    ],
    [
      'IPv6, RFC 8200: traffic class 0xb9, flow label 0xabcde',
      ipv6({ dscp: 46, ecn: 1, flowLabel: 0xabcde, nextHeader: 59, hopLimit: 3, src: A, dst: B }),
      `6b9abcde 0002 3b 03 ${A_HEX} ${B_HEX}`,
    ],
    ['UDP, RFC 768', udp({ sport: 0x1234, dport: 0x5678, checksum: 0 }), '1234 5678 000a 0000'],
    [
      'TCP, RFC 9293',
      tcp({
        sport: 1,
        dport: 2,
        seq: 0x01020304,
        ack: 0x05060708,
        flags: ['SYN', 'ACK', 'CWR'],
        window: 0x1000,
        checksum: 9,
        urgent: 7,
      }),
      '0001 0002 01020304 05060708 50 92 1000 0009 0007',
    ],
    ['ICMP echo, RFC 792', icmp({ id: 0x1234, seq: 7, checksum: 0 }), '08 00 0000 1234 0007'],
    [
      'ICMP redirect, RFC 792',
      icmp({ type: 5, code: 1, gateway: '10.0.0.9', checksum: 0 }),
      '05 01 0000 0a000009',
    ],
    [
      'ICMP fragmentation needed, RFC 1191',
      icmp({ type: 3, code: 4, mtu: 1400, checksum: 0 }),
      '03 04 0000 00 00 0578',
    ],
    ['ICMPv6 packet too big, RFC 4443', icmpv6({ type: 2, mtu: 1280, checksum: 0 }), '02 00 0000 00000500'],
    [
      'SCTP, RFC 9260',
      sctp({ sport: 1, dport: 2, tag: 0xdeadbeef, checksum: 3 }),
      '0001 0002 deadbeef 00000003',
    ],
    ['GRE, RFC 2784', gre({ protocol: 0x0800 }), '0000 0800'],
    [
      'GRE with key and sequence number, RFC 2890',
      gre({ protocol: 0x86dd, key: 5, seq: 6 }),
      '3000 86dd 00000005 00000006',
    ],
    ['GUE variant 0', gue({ protocol: 4, flags: 0x8000, data: bytesOf('01020304') }), '01 04 8000 01020304'],
    ['GUE control message', gue({ control: true, protocol: 9 }), '20 09 0000'],
    ['VXLAN, RFC 7348', vxlan({ vni: 0x123456 }), '08 000000 123456 00'],
    [
      'Geneve, RFC 8926: a critical option',
      geneve({
        vni: 0x123456,
        protocol: 0x6558,
        options: [{ type: 'option', class: 0x0102, code: 0x83, data: bytesOf('aabbccdd') }],
      }),
      '02 40 6558 123456 00 0102 83 01 aabbccdd',
    ],
    [
      'Geneve, RFC 8926: an option that is not critical',
      geneve({ protocol: 0x0800, options: [{ type: 'option', class: 1, code: 2, data: bytesOf('') }] }),
      '01 00 0800 000000 00 0001 02 00',
    ],
    ['MPLS, RFC 3032: label 0x12345, the bottom', mpls({ label: 0x12345, tc: 5, ttl: 63 }), '12345b3f'],
    [
      'IPv6 hop-by-hop with router alert, RFC 2711',
      hopopts({ nextHeader: 6, options: [{ type: 'routerAlert', value: 0 }] }),
      '06 00 05020000 0100',
    ],
    [
      'IPv6 destination options without any: six bytes of padding',
      dstopts({ nextHeader: 6 }),
      '06 00 0104 00000000',
    ],
    [
      'IPv6 fragment, RFC 8200',
      fragment({ nextHeader: 6, fragmentOffset: 0x123, mf: true, id: 0xdeadbeef }),
      '06 00 0919 deadbeef',
    ],
    [
      'IPv6 routing, RFC 8200',
      routing({ nextHeader: 6, routingType: 253, segmentsLeft: 2, data: bytesOf('01020304') }),
      '06 00 fd 02 01020304',
    ],
    [
      'SRv6, RFC 8754',
      srh({ nextHeader: 6, segments: [B, A], segmentsLeft: 1, tag: 0x1234, flags: 8 }),
      `06 04 04 01 01 08 1234 ${B_HEX} ${A_HEX}`,
    ],
  ])('%s', ([, layer, hex]) => {
    expect(headerOf(layer)).toBe(hexOf(bytesOf(hex)));
  });
});

describe('options', () => {
  test('of IPv4: RFC 791, RFC 2113', () => {
    const options = ipv4({
      checksum: 0,
      protocol: 6,
      options: [
        { type: 'routerAlert', value: 0 },
        { type: 'recordRoute', pointer: 4, addresses: ['0.0.0.0'] },
        { type: 'nop' },
        { type: 'other', code: 0x88, data: bytesOf('1234') },
      ],
    });
    expect(headerOf(options).slice(40)).toBe(hexOf(bytesOf('94040000 07070400000000 01 88041234')));
    expect(headerOf(options).slice(0, 2)).toBe('49');
  });

  test('of TCP: RFC 9293, RFC 7323 (appendix A), RFC 2018', () => {
    const options = tcp({
      checksum: 0,
      options: [
        { type: 'mss', mss: 1460 },
        { type: 'sackPermitted' },
        { type: 'nop' },
        { type: 'nop' },
        { type: 'timestamps', value: 0x01020304, echo: 0x05060708 },
        { type: 'windowScale', shift: 7 },
        { type: 'sack', blocks: [{ left: 1, right: 2 }] },
      ],
    });
    expect(headerOf(options).slice(40)).toBe(
      hexOf(bytesOf('020405b4 0402 01 01 080a 01020304 05060708 030307 050a 00000001 00000002 00')),
    );
  });

  test('of neighbour discovery: RFC 4861', () => {
    const solicitation = packet(
      icmpv6({
        type: 135,
        checksum: 0,
        target: A,
        options: [{ type: 'sourceMac', mac: '01:02:03:04:05:06' }],
      }),
    );
    expect(hexOf(solicitation.bytes)).toBe(hexOf(bytesOf(`87 00 0000 00000000 ${A_HEX} 0101 010203040506`)));
    const advertisement = packet(icmpv6({ type: 136, checksum: 0, router: true, override: true, target: A }));
    expect(hexOf(advertisement.bytes)).toBe(hexOf(bytesOf(`88 00 0000 a0000000 ${A_HEX}`)));
    const router = packet(
      icmpv6({
        type: 134,
        checksum: 0,
        hopLimit: 64,
        flags: ['managed'],
        routerLifetime: 1800,
        options: [
          { type: 'mtu', mtu: 1500 },
          {
            type: 'prefix',
            prefix: '2001:db8::',
            length: 64,
            flags: 0xc0,
            validLifetime: 1,
            preferredLifetime: 2,
          },
        ],
      }),
    );
    expect(hexOf(router.bytes)).toBe(
      hexOf(
        bytesOf(`86 00 0000 40 80 0708 00000000 00000000 0501 0000 000005dc
                 0304 40 c0 00000001 00000002 00000000 20010db8 00000000 00000000 00000000`),
      ),
    );
  });
});

describe('checksums', () => {
  /** A plain ones' complement sum, as RFC 1071 describes it in words. */
  const sum = (hex: string) => {
    const bytes = bytesOf(hex);
    let total = 0;
    for (let i = 0; i < bytes.length; i += 2) total += bytes[i]! * 256 + (bytes[i + 1] ?? 0);
    while (total > 0xffff) total = (total & 0xffff) + (total >> 16);
    return 0xffff - total;
  };

  test('UDP over IPv4 covers the pseudo header of RFC 768', () => {
    const built = packet(ipv4(), udp({ sport: 1, dport: 2 }), payload('abc'));
    expect(built.layers[1].checksum).toBe(sum('0a000001 0a000002 0011 000b 0001 0002 000b 0000 616263'));
  });

  test('UDP sends a computed zero as ffff (RFC 768)', () => {
    const zero = packet(
      ipv4({ src: '0.0.0.0', dst: '0.0.0.0' }),
      udp({ sport: 0xffd9, dport: 0, length: 10 }),
      payload(bytesOf('0001')),
    );
    expect(sum('00000000 00000000 0011 000a ffd9 0000 000a 0000 0001')).toBe(0);
    expect(zero.layers[1].checksum).toBe(0xffff);
  });

  test('TCP over IPv6 covers the pseudo header of RFC 8200, section 8.1', () => {
    const built = packet(ipv6({ src: A, dst: B }), tcp({ sport: 1, dport: 2, window: 0, flags: 0 }));
    expect(built.layers[1].checksum).toBe(
      sum(`${A_HEX} ${B_HEX} 00000014 00000006 0001 0002 00000000 00000000 5000 0000 0000 0000`),
    );
  });

  test('ICMP covers the message alone (RFC 792), ICMPv6 the pseudo header too (RFC 4443)', () => {
    expect(packet(ipv4(), icmp({ id: 1, seq: 2 })).layers[1].checksum).toBe(sum('0800 0000 0001 0002'));
    expect(packet(ipv6({ src: A, dst: B }), icmpv6({ id: 1, seq: 2 })).layers[1].checksum).toBe(
      sum(`${A_HEX} ${B_HEX} 00000008 0000003a 8000 0000 0001 0002`),
    );
  });

  test('GRE covers header and payload (RFC 2784)', () => {
    const built = packet(gre({ checksum: 'auto', protocol: 0x0800 }), payload('abc'));
    expect(built.layers[0].checksum).toBe(sum('8000 0800 0000 0000 616263'));
  });

  test('SCTP is CRC32c, least significant byte first (RFC 9260, appendix A)', () => {
    // A packet of 32 zeros has the CRC 8a9136aa (RFC 3720, B.4); the header's own four bytes count as zeros.
    const built = packet(sctp({ sport: 0, dport: 0 }), payload(new Uint8Array(20)));
    expect(hexOf(built.bytes.subarray(8, 12))).toBe('aa36918a');
  });

  test('with a source route under way the final destination counts (RFC 1122, 4.2.3.8)', () => {
    const route = (pointer: number) =>
      packet(
        ipv4({
          options: [
            { type: 'looseSourceRoute', pointer, addresses: ['10.9.0.1', '10.9.0.2'] },
            { type: 'nop' },
          ],
        }),
        udp({ sport: 1, dport: 2 }),
      ).layers[1].checksum;
    expect(route(4)).toBe(sum('0a000001 0a090002 0011 0008 0001 0002 0008 0000'));
    expect(route(12)).toBe(sum('0a000001 0a000002 0011 0008 0001 0002 0008 0000'));
  });

  test('with a routing header under way the final destination counts (RFC 8200, 8.1)', () => {
    const through = (segmentsLeft: number) =>
      packet(ipv6({ src: A }), srh({ segments: [B, A], segmentsLeft }), udp({ sport: 1, dport: 2 })).layers[2]
        .checksum;
    const final = sum(`${A_HEX} ${B_HEX} 00000008 00000011 0001 0002 0008 0000`);
    expect(through(1)).toBe(final);
    const passed = sum(`${A_HEX} 20010db8 00000000 00000000 00000002 00000008 00000011 0001 0002 0008 0000`);
    expect(through(0)).toBe(passed);
    const typeZero = packet(
      ipv6({ src: A }),
      routing({ routingType: 0, segmentsLeft: 1, data: bytesOf(`00000000 ${B_HEX}`) }),
      udp({ sport: 1, dport: 2 }),
    );
    expect(typeZero.layers[2].checksum).toBe(final);
  });
});

test('a jumbogram has its length in a hop-by-hop option (RFC 2675)', () => {
  const size = 70_000;
  const build = (length: number) =>
    packet(
      eth(),
      ipv6(),
      hopopts({ options: [{ type: 'jumbo', length }] }),
      tcp(),
      payload(new Uint8Array(size)),
    );
  const built = build(8 + 20 + size);
  expect(built.layers[1].payloadLength).toBe(0);
  expect(hexOf(built.bytes.subarray(54, 62))).toBe(
    hexOf(bytesOf(`06 00 c204 ${(size + 28).toString(16).padStart(8, '0')}`)),
  );
  expect(dissect(built.bytes).layers.map(({ kind }) => kind)).toEqual([
    'eth',
    'ipv6',
    'hopopts',
    'tcp',
    'raw',
  ]);
  expect(dissect(built.bytes).parts).toEqual(built.parts);
});
