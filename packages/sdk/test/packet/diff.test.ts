import { describe, expect, test } from 'vitest';
import {
  diff,
  dissect,
  eth,
  gre,
  gue,
  icmp,
  ipv4,
  ipv6,
  matchLayers,
  packet,
  payload,
  tcp,
  trailer,
  udp,
} from 'xdptest/packet';
import { combinations } from './support/combinations.ts';

const expected = packet(
  eth(),
  ipv4({ dst: '10.1.0.1', ttl: 63 }),
  udp({ dport: 443 }),
  payload('hello world'),
);
const actual = packet(eth(), ipv4({ dst: '192.0.2.1' }), udp({ dport: 443 }), payload('hello, world'));
const paths = (a: Parameters<typeof diff>[0], b: typeof a, ignore: string[] = []) =>
  diff(a, b, { ignore }).differences.map(({ kind, path }) => (kind === 'field' ? path : `${kind} ${path}`));

describe('diff()', () => {
  test('finds no difference between a packet and its own bytes', () => {
    for (const { name, packet: built } of combinations(9)) {
      expect(diff(built, built.bytes).differences, name).toEqual([]);
    }
  });

  test('lists fields with both values and the offset', () => {
    expect(diff(expected, actual).differences.filter(({ path }) => path === 'ipv4.dst')).toEqual([
      {
        kind: 'field',
        path: 'ipv4.dst',
        offset: 30,
        sizeBytes: 4,
        expectedOffset: 30,
        expected: '10.1.0.1',
        actual: '192.0.2.1',
        expectedText: '10.1.0.1',
        actualText: '192.0.2.1',
      },
    ]);
  });

  test('leaves out checksums that are right in both', () => {
    expect(paths(expected, actual)).toEqual([
      'ipv4.totalLength',
      'ipv4.ttl',
      'ipv4.dst',
      'udp.length',
      'raw.bytes',
    ]);
  });

  test('lists a checksum that is wrong in one, or absent', () => {
    expect(paths(actual, actual.with('ipv4.checksum', 0x1234))).toEqual(['ipv4.checksum']);
    expect(paths(actual, actual.with('udp.checksum', 0))).toEqual(['udp.checksum']);
  });

  test('ignores fields of one layer, of all layers of a kind, of any kind, and whole layers', () => {
    const one = packet(eth(), ipv4({ id: 1 }), ipv4({ id: 2 }), udp(), trailer('ab'));
    const two = packet(eth(), ipv4({ id: 3 }), ipv4({ id: 4 }), udp({ checksum: 0 }), trailer('cd'));
    expect(paths(one, two)).toEqual(['ipv4.id', 'ipv4[1].id', 'udp.checksum', 'trailer.bytes']);
    expect(paths(one, two, ['ipv4[1].id'])).toEqual(['ipv4.id', 'udp.checksum', 'trailer.bytes']);
    expect(paths(one, two, ['ipv4.id', '*.checksum'])).toEqual(['trailer.bytes']);
    expect(diff(one, two, { ignore: ['ipv4.id', 'udp', 'trailer'] }).equal).toBe(true);
  });

  test('knows a mask that could never match', () => {
    expect(() => diff(expected, actual, { ignore: ['ipv4.idd'] })).toThrow('ipv4 has no field "idd"');
    expect(() => diff(expected, actual, { ignore: ['ip.id'] })).toThrow('no kind of layer "ip"');
    expect(() => diff(expected, actual, { ignore: ['*.nope'] })).toThrow('no layer has a field "nope"');
  });

  test('finds an encapsulated packet inside of its tunnel', () => {
    const tunnel = packet(eth(), ipv4({ dst: '10.9.9.9' }), udp(), gue(), actual.slice('ipv4'));
    expect(paths(actual, tunnel)).toEqual(['extra ipv4', 'extra udp', 'extra gue']);
    expect(paths(tunnel, actual)).toEqual(['missing ipv4', 'missing udp', 'missing gue']);
  });

  test('compares forms of a layer that have other fields', () => {
    const echo = packet(eth(), ipv4(), icmp({ type: 8, id: 7 }));
    const unreachable = packet(eth(), ipv4(), icmp({ type: 3, mtu: 1400 }));
    const found = diff(echo, unreachable).differences;
    expect(found.map(({ path }) => path)).toContain('icmp.id');
    expect(found.find(({ path }) => path === 'icmp.mtu')).toMatchObject({
      expectedText: 'no such field',
      actualText: '1400',
    });
  });

  test('compares raw packets from the layer on that the other begins with', () => {
    const bare = packet(ipv4(), gre(), ipv6(), tcp());
    expect(diff(bare, bare.bytes).equal).toBe(true);
  });

  test('says for people what differs, with the bytes around it', () => {
    expect(`\n${diff(expected, actual).format()}\n`).toBe(`
  expected  10.0.0.1:1234 > 10.1.0.1:443 UDP 53 B
  got       10.0.0.1:1234 > 192.0.2.1:443 UDP 54 B

  ipv4.totalLength  expected 39                     got 40                                   @16
  ipv4.ttl          expected 63                     got 64                                   @22
  ipv4.dst          expected 10.1.0.1               got 192.0.2.1                            @30
  udp.length        expected 19                     got 20                                   @38
  raw.bytes         expected +5: 20 77 6f 72 6c 64  got +5: 2c 20 77 6f 72 6c ... (7 bytes)  @47

  expected  0010  00 27 00 00 00 00 3f 11  67 c4 0a 00 00 01 0a 01  .'....?.g.......
  got       0010  00 28 00 00 00 00 40 11  ae c3 0a 00 00 01 c0 00  .(....@.........
                  ^^^^^             ^^                       ^^^^^  ipv4.totalLength, ipv4.ttl, ipv4.dst
  expected  0020  00 01 04 d2 01 bb 00 13  53 6a 68 65 6c 6c 6f 20  ........Sjhello
  got       0020  02 01 04 d2 01 bb 00 14  ec ea 68 65 6c 6c 6f 2c  ..........hello,
                  ^^^^^             ^^^^^                       ^^  udp.length, raw.bytes
  expected  0030  77 6f 72 6c 64                                    world
  got       0030  20 77 6f 72 6c 64                                  world
                  ^^^^^^^^^^^^^^^^^
`);
  });

  test('says that nothing differs', () => {
    expect(diff(actual, actual).format()).toMatch(/no difference$/);
  });
});

describe('matchLayers()', () => {
  const match = (wanted: Parameters<typeof matchLayers>[1]) =>
    matchLayers(actual, wanted).map(({ kind, path }) => (kind === 'field' ? path : `${kind} ${path}`));

  test('finds nothing wrong with what is as wanted', () => {
    expect(
      match({
        ipv4: { dst: '192.0.2.0/24', ttl: 64, src: (src) => src.startsWith('10.') },
        udp: { dport: 443 },
        raw: { bytes: 'hello, world' },
        eth: true,
        gue: false,
      }),
    ).toEqual([]);
  });

  test('lists what is not', () => {
    expect(
      match({
        ipv4: { dst: '10.1.0.0/16', ttl: 63, id: (id) => id > 0 },
        udp: false,
        tcp: { dport: 443 },
        'ipv4[1]': true,
        raw: { bytes: 'hello world' },
      }),
    ).toEqual([
      'ipv4.dst',
      'ipv4.ttl',
      'ipv4.id',
      'extra udp',
      'missing tcp',
      'missing ipv4[1]',
      'raw.bytes',
    ]);
  });

  test('gives the texts for a message', () => {
    expect(matchLayers(actual, { ipv4: { dst: '10.1.0.0/16' } })).toMatchObject([
      { expectedText: '10.1.0.0/16', actualText: '192.0.2.1', offset: 30, actual: '192.0.2.1' },
    ]);
  });

  test('compares options and flags in the forms in which they can be given', () => {
    const syn = packet(eth(), ipv4(), tcp({ flags: ['SYN', 'ACK'], options: [{ type: 'mss', mss: 1460 }] }));
    expect(
      matchLayers(syn, { tcp: { flags: ['ACK', 'SYN'], options: [{ type: 'mss', mss: 1460 }] } }),
    ).toEqual([]);
    expect(matchLayers(syn, { tcp: { flags: ['SYN'], options: [] } }).map(({ path }) => path)).toEqual([
      'tcp.flags',
      'tcp.options',
    ]);
  });

  test('knows a wish that could never come true', () => {
    expect(() => matchLayers(actual, { ipv4: { ttl: 256 } })).toThrow('ipv4.ttl must be a whole number');
    // @ts-expect-error no such field
    expect(() => matchLayers(actual, { ipv4: { port: 1 } })).toThrow('ipv4 has no field "port"');
    // @ts-expect-error no such layer
    expect(() => matchLayers(actual, { ip: { ttl: 1 } })).toThrow('is not a layer');
  });

  test('takes bytes too', () => {
    expect(matchLayers(actual.bytes, { ipv4: { ttl: 64 } })).toEqual([]);
    expect(matchLayers(dissect(actual.bytes), { ipv4: { ttl: 64 } })).toEqual([]);
  });
});
