import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  dissect,
  eth,
  internetChecksum,
  ipv4,
  ipv6,
  packet,
  payload,
  type Tcp,
  tcp,
  trailer,
  udp,
  vlan,
} from 'xdptest/packet';
import { bytesOf, hexOf } from './support/hex.ts';

describe('what is not given', () => {
  const built = packet(eth(), ipv4({ dst: '192.0.2.1' }), udp({ dport: 443 }), payload('hi'));

  test('is filled in: types, lengths, checksums', () => {
    expect(hexOf(built.bytes)).toBe(
      hexOf(
        bytesOf(`020000000002 020000000001 0800
                 45 00 001e 0000 0000 40 11 aecd 0a000001 c0000201
                 04d2 01bb 000a c4e1 6869`),
      ),
    );
  });

  test('makes a checksum that sums to zero', () => {
    expect(internetChecksum(built.bytes, 14, 34)).toBe(0);
  });

  test('the layers carry it, typed', () => {
    expect(built.layers[1].totalLength).toBe(30);
    expect(built.layers[2].checksum).toBe(0xc4e1);
    expect(built.get('udp')?.dport).toBe(443);
    const withTcp = packet(eth(), ipv4(), tcp());
    expectTypeOf(withTcp.layers[2]).toEqualTypeOf<Tcp>();
  });
});

describe('what is given on purpose', () => {
  test('stays as given, wrong or not', () => {
    const wrong = packet(
      eth({ type: 0x1234 }),
      ipv4({ checksum: 0xdead, totalLength: 9, ihl: 3, protocol: 250 }),
      udp({ checksum: 0, length: 1 }),
    );
    expect(wrong.layers[0].type).toBe(0x1234);
    expect(wrong.layers[1]).toMatchObject({ checksum: 0xdead, totalLength: 9, ihl: 3, protocol: 250 });
    expect(wrong.layers[2]).toMatchObject({ checksum: 0, length: 1 });
  });

  test('survives with(), while the rest is computed anew', () => {
    const base = packet(eth(), ipv4({ checksum: 0xdead }), udp(), payload('abc'));
    const changed = base.with({ ipv4: { ttl: 3 }, raw: { bytes: 'abcdef' } });
    expect(changed.layers[1]).toMatchObject({ checksum: 0xdead, ttl: 3, totalLength: 34 });
    expect(changed.layers[2].length).toBe(14);
    expect(base.layers[1].ttl).toBe(64);
  });

  test('can be handed back with auto', () => {
    const base = packet(eth(), ipv4({ checksum: 0xdead }), udp());
    const right = base.with('ipv4.checksum', 'auto');
    expect(internetChecksum(right.bytes, 14, 34)).toBe(0);
  });
});

describe('with() on a dissected packet', () => {
  const bytes = packet(eth(), ipv4(), udp({ dport: 53 }), payload('x')).bytes;

  test('computes right checksums anew', () => {
    const changed = dissect(bytes).with('ipv4.dst', '192.0.2.7');
    const rebuilt = packet(eth(), ipv4({ dst: '192.0.2.7' }), udp({ dport: 53 }), payload('x'));
    expect(hexOf(changed.bytes)).toBe(hexOf(rebuilt.bytes));
  });

  test('leaves a wrong checksum alone', () => {
    const broken = bytes.slice();
    broken[24]! ^= 0xff;
    const changed = dissect(broken).with('ipv4.ttl', 1);
    expect([...changed.bytes.subarray(24, 26)]).toEqual([...broken.subarray(24, 26)]);
  });

  test('reaches the second layer of a kind by its number', () => {
    const tunnel = packet(eth(), ipv4(), ipv4({ dst: '10.9.9.9' }), udp());
    const changed = tunnel.with('ipv4[1].dst', '10.8.8.8');
    expect(changed.layers[1].dst).toBe('10.0.0.2');
    expect(changed.layers[2].dst).toBe('10.8.8.8');
  });
});

describe('parts', () => {
  test('of one packet make another, with lengths of its own', () => {
    const inner = packet(ipv4({ dst: '10.9.9.9' }), udp(), payload('abc'));
    const outer = packet(eth(), ipv4(), inner, payload('def'));
    expect(outer.layers[1].totalLength).toBe(54);
    expect(outer.layers[2].totalLength).toBe(34);
    expect(outer.layers.map(({ kind }) => kind)).toEqual(['eth', 'ipv4', 'ipv4', 'udp', 'raw', 'raw']);
  });

  test('slice() takes the inner packet of a tunnel', () => {
    const tunnel = packet(eth(), ipv4(), ipv4({ dst: '10.9.9.9' }), udp(), payload('abc'));
    expect(hexOf(tunnel.slice('ipv4[1]').bytes)).toBe(
      hexOf(packet(ipv4({ dst: '10.9.9.9' }), udp(), payload('abc')).bytes),
    );
  });
});

test('everything is frozen', () => {
  const built = packet(eth(), ipv4(), tcp({ options: [{ type: 'mss', mss: 1460 }] }));
  for (const value of [built, built.layers, ...built.layers, ...built.parts, built.layers[2].options[0]])
    expect(Object.isFrozen(value)).toBe(true);
});

test('bytes that were given can be changed afterwards, the packet stays', () => {
  const data = bytesOf('0102');
  const built = packet(tcp({ options: [{ type: 'other', code: 30, data }] }), payload(data), trailer(data));
  const before = hexOf(built.bytes);
  data.fill(0xff);
  expect(hexOf(packet(...built.parts).bytes)).toBe(before);
});

test('a service tag comes before a customer tag', () => {
  const built = packet(eth(), vlan({ vid: 10 }), vlan({ vid: 20 }), ipv6(), udp());
  expect(built.layers[0].type).toBe(0x88a8);
  expect(built.layers[1].type).toBe(0x8100);
  expect(built.layers[2].type).toBe(0x86dd);
});

test('a trailer is outside of the lengths', () => {
  const built = packet(eth(), ipv4(), udp(), trailer(new Uint8Array(18)));
  expect(built.length).toBe(60);
  expect(built.layers[1].totalLength).toBe(28);
});

describe('mistakes are named', () => {
  const mss = { type: 'mss', mss: 1460 } as const;
  test.for([
    [
      'a value out of range',
      () => ipv4({ ttl: 300 }),
      'ipv4.ttl must be a whole number from 0 to 255, got 300',
    ],
    ['a bad address', () => ipv4({ dst: '10.0.0' }), 'ipv4.dst: an IPv4 address is four decimal numbers'],
    // @ts-expect-error no such field
    ['an unknown field', () => ipv4({ tll: 3 }), 'ipv4 has no field "tll"'],
    // @ts-expect-error no such flag
    ['an unknown flag', () => tcp({ flags: ['SYM'] }), 'there is no flag "SYM"; known are FIN'],
    // @ts-expect-error no such kind
    ['an unknown kind', () => packet({ kind: 'ip' }), 'there is no kind of layer "ip"'],
    ['a layer that is not there', () => packet(eth()).with('ipv4.ttl', 3), 'has no layer ipv4; it is eth'],
    ['a trailer in the middle', () => packet(trailer('x'), eth()), 'trailers must be the last layers'],
    [
      'a bad option',
      () => tcp({ options: [{ type: 'mss', mss: 65_536 }] }),
      'tcp.options[0].mss must be a whole number from 0 to 65535, got 65536',
    ],
    [
      'an unknown option',
      // @ts-expect-error no such option
      () => tcp({ options: [{ type: 'mtu' }] }),
      'no option "mtu"; known are eol, nop, mss',
    ],
    [
      'bad addresses of an option',
      // @ts-expect-error not an array
      () => ipv4({ options: [{ type: 'recordRoute', pointer: 4, addresses: 'x' }] }),
      'ipv4.options[0].addresses must be an array of addresses, got "x"',
    ],
    [
      'too many options',
      () => packet(tcp({ options: Array.from({ length: 11 }, () => mss) })).bytes,
      'tcp.options: 44 bytes, but there is room for 40',
    ],
    ['too long a packet', () => packet(ipv4(), payload(new Uint8Array(65_516))).bytes, 'this one 65536'],
  ] as const)('%s', ([, build, message]) => {
    expect(build).toThrow(expect.objectContaining({ code: 'XDP_PACKET_INVALID' }));
    expect(build).toThrow(message);
  });
});
