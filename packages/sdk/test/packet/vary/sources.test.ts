import { describe, expect, test } from 'vitest';
import {
  eth,
  type FieldPath,
  type FieldSource,
  fieldReader,
  ipv4,
  ipv6,
  list,
  packet,
  payload,
  random,
  range,
  sequence,
  tcp,
  udp,
  vary,
} from 'xdptest/packet';

const v4 = packet(eth(), ipv4({ id: 7 }), udp({ sport: 1000 }), payload('x'));
const v6 = packet(eth(), ipv6(), tcp(), payload('x'));

function values(path: FieldPath, source: FieldSource, count: number): unknown[] {
  const template = path.startsWith('ipv6') || path.startsWith('tcp') ? v6 : v4;
  const read = fieldReader(path);
  return [...vary(template, { [path]: source }, count)].map((bytes) => read(bytes));
}

describe('range', () => {
  test('goes through a prefix, whatever address of it is given, and starts again', () => {
    expect(values('ipv4.src', range('10.1.2.3/30'), 6)).toEqual([
      '10.1.2.0',
      '10.1.2.1',
      '10.1.2.2',
      '10.1.2.3',
      '10.1.2.0',
      '10.1.2.1',
    ]);
    expect(values('ipv6.src', range('2001:db8::/127'), 3)).toEqual([
      '2001:db8::',
      '2001:db8::1',
      '2001:db8::',
    ]);
    expect(values('eth.src', range('02:00:00:00:00:fe/47'), 3)).toEqual([
      '02:00:00:00:00:fe',
      '02:00:00:00:00:ff',
      '02:00:00:00:00:fe',
    ]);
  });

  test('goes from one value to another, with carries', () => {
    expect(values('udp.sport', range(65_534, 65_535), 3)).toEqual([65_534, 65_535, 65_534]);
    expect(values('ipv4.src', range('10.0.0.255', '10.0.1.1'), 4)).toEqual([
      '10.0.0.255',
      '10.0.1.0',
      '10.0.1.1',
      '10.0.0.255',
    ]);
    expect(values('eth.src', range('02:00:ff:ff:ff:ff', '02:01:00:00:00:01'), 3)).toEqual([
      '02:00:ff:ff:ff:ff',
      '02:01:00:00:00:00',
      '02:01:00:00:00:01',
    ]);
    expect(values('ipv6.src', range('::ffff:ffff:ffff:ffff', '::1:0:0:0:1'), 3)).toEqual([
      '::ffff:ffff:ffff:ffff',
      '::1:0:0:0:0'.replace('::1:0:0:0:0', '0:0:0:1::'),
      '::1:0:0:0:1',
    ]);
    expect(values('ipv4.src', range('0.0.0.0/0'), 2)).toEqual(['0.0.0.0', '0.0.0.1']);
    expect(values('ipv6.src', range('::/0'), 2)).toEqual(['::', '::1']);
  });

  test('shuffled, gives every value once in another order, for sizes of every kind', () => {
    for (const size of [1, 2, 3, 5, 16, 17, 100, 256, 1000, 4097]) {
      const plain = Array.from({ length: size }, (_, i) => i);
      const first = values('udp.sport', range(0, size - 1, { shuffle: 1 }), size) as number[];
      expect(
        [...first].sort((a, b) => a - b),
        `size ${size}`,
      ).toEqual(plain);
      if (size >= 16) {
        expect(first).not.toEqual(plain);
        expect(first).not.toEqual(values('udp.sport', range(0, size - 1, { shuffle: 2 }), size));
      }
    }
    expect(values('udp.sport', range(5, 8, { shuffle: 3 }), 8).slice(4)).toEqual(
      values('udp.sport', range(5, 8, { shuffle: 3 }), 4),
    );
  });
});

describe('sequence', () => {
  test('starts with the template, and wraps round', () => {
    expect(values('ipv4.id', sequence(), 3)).toEqual([7, 8, 9]);
    expect(values('ipv4.ttl', sequence({ from: 250, step: 3 }), 4)).toEqual([250, 253, 250, 253]);
    expect(values('ipv4.ttl', sequence({ from: 5, step: -2 }), 4)).toEqual([5, 3, 1, 5]);
    expect(values('udp.sport', sequence({ from: 10, to: 30, step: 10 }), 4)).toEqual([10, 20, 30, 10]);
    expect(values('ipv4.src', sequence({ from: '10.0.0.1', step: 256 }), 3)).toEqual([
      '10.0.0.1',
      '10.0.1.1',
      '10.0.2.1',
    ]);
    expect(values('ipv6.src', sequence({ from: '::2:0:0:1', step: -(2 ** 20) }), 2)).toEqual([
      '::2:0:0:1',
      '::1:ffff:fff0:1',
    ]);
  });
});

describe('list', () => {
  test('gives values as the field has them', () => {
    expect(values('ipv4.ttl', list([1, 64, 255]), 4)).toEqual([1, 64, 255, 1]);
    expect(values('ipv4.df', list([true, false]), 3)).toEqual([true, false, true]);
    expect(values('ipv6.dst', list(['2001:db8::1', '::ffff:1.2.3.4']), 2)).toEqual([
      '2001:db8::1',
      '::ffff:1.2.3.4',
    ]);
    const syn = values('tcp.flags', list([['SYN'], ['SYN', 'ACK']]), 2) as number[];
    expect(syn).toEqual([0x02, 0x12]);
  });
});

describe('random', () => {
  test('keeps to its bounds and reaches them', () => {
    const ports = values('udp.sport', random({ seed: 3, from: 5, to: 14 }), 500) as number[];
    expect(new Set(ports).size).toBe(10);
    expect(Math.min(...ports)).toBe(5);
    expect(Math.max(...ports)).toBe(14);
    for (const address of values('ipv4.src', random({ prefix: '10.16.0.0/12' }), 300) as string[])
      expect(address).toMatch(/^10\.(1[6-9]|2\d|3[01])\./);
    for (const address of values('ipv6.src', random({ prefix: '2001:db8::/33' }), 300) as string[])
      expect(address).toMatch(/^2001:db8:([0-7]?[0-9a-f]{0,3}):/);
    const odd = values('ipv6.src', random({ from: '::1:ffff:ffff:ffff', to: '::2:0:0:1' }), 100) as string[];
    expect(new Set(odd)).toEqual(new Set(['::1:ffff:ffff:ffff', '::2:0:0:0', '::2:0:0:1']));
  });

  test('is the same in every run: a change here would change every seeded test of every user', () => {
    expect(values('udp.sport', random({ seed: 1 }), 6)).toMatchInlineSnapshot(`
      [
        31627,
        20874,
        1823,
        23656,
        28189,
        37338,
      ]
    `);
    expect(values('udp.sport', random({ seed: 2 ** 40 + 1, from: 1024 }), 6)).toMatchInlineSnapshot(`
      [
        24690,
        43120,
        2179,
        45416,
        26728,
        37304,
      ]
    `);
    expect(values('ipv4.src', random({ seed: 1, prefix: '10.0.0.0/8' }), 4)).toMatchInlineSnapshot(`
      [
        "10.142.88.137",
        "10.43.195.77",
        "10.230.238.233",
        "10.159.2.252",
      ]
    `);
    expect(values('ipv4.src', range('10.0.0.0/8', { shuffle: 1 }), 4)).toMatchInlineSnapshot(`
      [
        "10.183.108.198",
        "10.198.142.44",
        "10.8.155.63",
        "10.28.61.37",
      ]
    `);
  });
});

test('the values of a field do not depend on which others are varied', () => {
  const sport = { 'udp.sport': random({ seed: 1 }) };
  const more = { 'ipv4.id': sequence(), 'ipv4.src': range('10.0.0.0/8', { shuffle: 1 }), ...sport };
  const read = fieldReader('udp.sport');
  expect([...vary(v4, more, 20)].map((bytes) => read(bytes))).toEqual(
    [...vary(v4, sport, 20)].map((bytes) => read(bytes)),
  );
});

describe('refusals', () => {
  const invalid = (message: RegExp) =>
    expect.objectContaining({ code: 'XDP_INVALID_ARGUMENT', message: expect.stringMatching(message) });

  test.each<[string, () => unknown, RegExp]>([
    [
      'a range without an end',
      () => range('10.0.0.1'),
      /needs a prefix such as '10.0.0.0\/12', or two values/,
    ],
    [
      'a range that ends before it starts',
      () => values('udp.sport', range(5, 4), 1),
      /ends \(4\) before it starts \(5\)/,
    ],
    [
      'a prefix too long',
      () => values('ipv4.src', range('10.0.0.0/33'), 1),
      /must have a length from 0 to 32/,
    ],
    ['an unknown option', () => range(1, 2, { shufle: 1 } as object), /no option "shufle"/],
    [
      'a value too large for the field',
      () => values('ipv4.ttl', list([256]), 1),
      /from 0 to 2\^8 - 1, got 256/,
    ],
    ['a fraction', () => values('ipv4.ttl', list([1.5]), 1), /got 1.5/],
    ['an empty list', () => list([]), /at least one value/],
    ['text as a list', () => list('abc' as unknown as string[]), /must be an array/],
    ['a step of 0', () => sequence({ step: 0 }), /must not be 0/],
    [
      'a sequence in the wrong direction',
      () => values('udp.sport', sequence({ from: 5, to: 9, step: -1 }), 1),
      /does not get from its first value to its last/,
    ],
    [
      'prefix and bounds together',
      () => random({ prefix: '10.0.0.0/8', from: 1 }),
      /either prefix, or from and to/,
    ],
    ['a seed that is none', () => random({ seed: -1 }), /random: seed must be a whole number/],
    [
      'a shuffled /0 of IPv6',
      () => values('ipv6.src', range('::/0', { shuffle: 1 }), 1),
      /cannot be shuffled/,
    ],
    [
      'random values out of too many',
      () => values('ipv6.src', random({ from: 1 }), 1),
      /needs a prefix, not a range/,
    ],
    [
      'no source at all',
      () => values('udp.sport', 5 as unknown as FieldSource, 1),
      /udp.sport: expected range\(\)/,
    ],
  ])('%s', (_, fault, message) => {
    expect(fault).toThrow(invalid(message));
  });

  test('an address of the wrong family', () => {
    expect(() => values('ipv4.src', range('2001:db8::/64'), 1)).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^XDP_/) }),
    );
  });
});
