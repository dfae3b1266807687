/** What dissecting makes of packets that are cut short, lie about their lengths, or go where we do not follow. */
import { describe, expect, test } from 'vitest';
import {
  dissect,
  eth,
  fragment,
  icmp,
  ipv4,
  ipv6,
  type Layer,
  type Packet,
  packet,
  payload,
  tcp,
  trailer,
  udp,
  vxlan,
} from 'xdptest/packet';
import { bytesOf, hexOf } from './support/hex.ts';

const base = packet(eth(), ipv4(), udp(), payload('0123456789'));
const kinds = ({ layers }: Packet) => layers.map(({ kind }) => kind);
const reason = ({ layers }: Packet) =>
  (layers as readonly Layer[]).find((layer) => layer.kind === 'raw')?.reason;

/** The base packet with some bytes of its IPv4 or UDP header replaced. */
function changed(offset: number, hex: string): Packet {
  const bytes = base.bytes.slice();
  bytes.set(bytesOf(hex), offset);
  return dissect(bytes);
}

describe('a reason is given for', () => {
  test.for<[string, () => Packet, string[], string]>([
    ['a short frame', () => dissect(new Uint8Array(13)), ['raw'], '13 bytes, but an Ethernet header has 14'],
    [
      'a short IPv4 header',
      () => dissect(base.bytes.subarray(0, 30)),
      ['eth', 'raw'],
      '16 bytes, but an IPv4 header has at least 20',
    ],
    [
      'an IHL below 5',
      () => changed(14, '44'),
      ['eth', 'raw'],
      'IPv4 header length of 16 bytes, less than 20',
    ],
    [
      'an IHL beyond the end',
      () => dissect(changed(14, '4f').bytes.subarray(0, 60)),
      ['eth', 'raw'],
      'IPv4 header of 60 bytes, but 38 are there',
    ],
    ['another IP version', () => changed(14, '55'), ['eth', 'raw'], 'IP version 5 where IPv4 was expected'],
    [
      'a total length below the header',
      () => changed(16, '0013'),
      ['eth', 'ipv4', 'raw'],
      "IPv4 total length 19 is less than the header's 20",
    ],
    ['a later fragment', () => changed(20, '00b9'), ['eth', 'ipv4', 'raw'], 'IPv4 fragment at offset 1480'],
    [
      'an unknown protocol',
      () => changed(23, 'c8'),
      ['eth', 'ipv4', 'raw'],
      'IP protocol 200 is not dissected',
    ],
    ['an unknown ethertype', () => changed(12, '1234'), ['eth', 'raw'], 'ethertype 0x1234 is not dissected'],
    [
      'an 802.3 length',
      () => changed(12, '0026'),
      ['eth', 'raw'],
      '802.3 frame of length 38: LLC is not dissected',
    ],
    [
      'a UDP length below the header',
      () => changed(38, '0007'),
      ['eth', 'ipv4', 'udp', 'raw'],
      "UDP length 7 is less than the header's 8",
    ],
    [
      'a later fragment of IPv6',
      () =>
        dissect(
          packet(eth(), ipv6(), fragment({ nextHeader: 17, fragmentOffset: 1 }), payload('12345678')).bytes,
        ),
      ['eth', 'ipv6', 'fragment', 'raw'],
      'IPv6 fragment at offset 8',
    ],
    [
      'a TCP header length below 20',
      () => dissect(packet(eth(), ipv4(), tcp({ dataOffset: 4 })).bytes),
      ['eth', 'ipv4', 'raw'],
      'TCP header length of 16 bytes, less than 20',
    ],
    [
      'IPv6 without a next header',
      () => dissect(packet(eth(), ipv6({ nextHeader: 59 }), payload('x')).bytes),
      ['eth', 'ipv6', 'raw'],
      'IPv6 next header 59: no next header',
    ],
  ])('%s', ([, make, expectedKinds, text]) => {
    const dissected = make();
    expect(kinds(dissected)).toEqual(expectedKinds);
    expect(reason(dissected)).toBe(text);
  });
});

describe('bytes beyond the end of a layer', () => {
  test('are padding of the frame', () => {
    const padded = packet(eth(), ipv4(), udp(), trailer(new Uint8Array(18)));
    expect(kinds(dissect(padded.bytes))).toEqual(['eth', 'ipv4', 'udp', 'trailer']);
    expect(dissect(padded.bytes).layers.at(-1)).toMatchObject({ after: 1 });
  });

  test('are left behind when the IP packet is cut out', () => {
    const padded = packet(eth(), ipv4(), udp(), trailer(new Uint8Array(18)));
    expect(kinds(padded.slice('ipv4'))).toEqual(['ipv4', 'udp']);
    expect(kinds(padded.slice(0))).toEqual(['eth', 'ipv4', 'udp', 'trailer']);
  });

  test('can be a surplus area of UDP (RFC 9868), inside of IP', () => {
    const surplus = packet(eth(), ipv4(), udp(), payload('ab'), trailer('options', 2), trailer('padding'));
    expect(surplus.layers[1].totalLength).toBe(37);
    expect(surplus.layers[2].length).toBe(10);
    expect(dissect(surplus.bytes).parts).toEqual(surplus.parts);
  });

  test('of an inner frame stay inside of the tunnel', () => {
    const inner = packet(eth(), ipv4(), udp(), trailer(new Uint8Array(18)));
    const outer = packet(eth(), ipv4(), udp(), vxlan(), inner);
    expect(outer.layers[2].length).toBe(8 + 8 + 60);
    expect(hexOf(outer.slice(4).bytes)).toBe(hexOf(inner.bytes));
    expect(kinds(dissect(outer.bytes))).toEqual([
      'eth',
      'ipv4',
      'udp',
      'vxlan',
      'eth',
      'ipv4',
      'udp',
      'trailer',
    ]);
    expect(dissect(outer.bytes).layers.at(-1)).toMatchObject({ after: 5 });
  });
});

test('a length beyond the end is kept, and what is there is dissected', () => {
  const cut = dissect(base.bytes.subarray(0, 45));
  expect(kinds(cut)).toEqual(['eth', 'ipv4', 'udp', 'raw']);
  expect(cut.get('ipv4')?.totalLength).toBe(38);
  expect(cut.with('ipv4.ttl', 1).get('ipv4')?.totalLength).toBe(38);
});

test('an ICMP error quotes eight bytes of TCP', () => {
  const quoted = packet(ipv4(), tcp({ sport: 7, dport: 8, seq: 9 }), payload('data')).bytes.subarray(0, 28);
  const error = dissect(packet(eth(), ipv4(), icmp({ type: 11 }), payload(quoted)).bytes);
  expect(kinds(error)).toEqual(['eth', 'ipv4', 'icmp', 'ipv4', 'tcpStub']);
  expect(error.get('tcpStub')).toEqual({ kind: 'tcpStub', sport: 7, dport: 8, seq: 9 });
  expect(error.get('ipv4[1]')?.totalLength).toBe(44);
});

test('UDP ports lead to what the options say', () => {
  const bytes = packet(eth(), ipv4(), udp({ dport: 8472 }), vxlan(), eth(), ipv4(), udp()).bytes;
  expect(kinds(dissect(bytes))).toEqual(['eth', 'ipv4', 'udp', 'raw']);
  expect(kinds(dissect(bytes, { udpPorts: { 8472: 'vxlan' } }))).toContain('vxlan');
  const standard = packet(eth(), ipv4(), udp(), vxlan(), eth(), ipv4(), udp()).bytes;
  expect(kinds(dissect(standard, { udpPorts: { 4789: 'raw' } }))).toEqual(['eth', 'ipv4', 'udp', 'raw']);
});

test('the first layer is what the options say', () => {
  expect(kinds(dissect(base.slice('ipv4').bytes, { first: 'ipv4' }))).toEqual(['ipv4', 'udp', 'raw']);
  // @ts-expect-error no such kind
  expect(() => dissect(base.bytes, { first: 'ip' })).toThrow('there is no kind of layer "ip"');
});

test('what is no bytes at all is refused by name', () => {
  // @ts-expect-error not bytes
  expect(() => dissect('00 01')).toThrow('packet must be a Uint8Array');
});
