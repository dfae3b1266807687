import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  almostValidPacket,
  hostilePacket,
  ipv4Address,
  ipv6Address,
  layer,
  macAddress,
  packetOf,
  payloadLayer,
  validPacket,
} from 'xdptest/fast-check';
import {
  computeChecksum,
  dissect,
  eth,
  inPrefix,
  ipv4,
  ipv6,
  locateField,
  Packet,
  packet,
  payload,
  udp,
} from 'xdptest/packet';
import { rounds } from '../support/emulation.ts';

const runs = { numRuns: rounds(1500, 300), seed: 42 };

/** The paths of all fields `name`, of any layer. */
function pathsOf(value: Packet, name: string): string[] {
  const seen = new Map<string, number>();
  return value.layers.flatMap((one) => {
    const nth = seen.get(one.kind) ?? 0;
    seen.set(one.kind, nth + 1);
    return name in one ? [`${one.kind}[${nth}].${name}`] : [];
  });
}

/** The checksums that are not what they should be, as a dissection sees it: right ones are 'auto' in its parts. */
function wrongChecksums(value: Packet): string[] {
  return value.parts.flatMap((part, i) => {
    const { kind, checksum } = part as { kind: string; checksum?: unknown };
    return typeof checksum === 'number' && !(kind === 'udp' && checksum === 0) ? [`${i}: ${kind}`] : [];
  });
}

describe('validPacket', () => {
  test('is dissected into the layers that it was built of, with every checksum right', () => {
    fc.assert(
      fc.property(validPacket(), (built) => {
        const read = dissect(built.bytes);
        const kinds = (value: Packet) =>
          value.layers.filter((one) => one.kind !== 'raw' || one.bytes.length > 0).map(({ kind }) => kind);
        expect(kinds(read)).toEqual(kinds(built));
        expect(wrongChecksums(read)).toEqual([]);
        expect(read.with({}).bytes).toEqual(built.bytes);
      }),
      runs,
    );
  });

  test('comes in all kinds of layers', () => {
    const kinds = new Set(
      fc.sample(validPacket(), runs).flatMap((built) => built.layers.map(({ kind }) => kind)),
    );
    expect([...kinds].sort()).toEqual([
      'arp',
      'dstopts',
      'eth',
      'fragment',
      'geneve',
      'gre',
      'gue',
      'hopopts',
      'icmp',
      'icmpv6',
      'ipv4',
      'ipv6',
      'mpls',
      'raw',
      'sctp',
      'srh',
      'tcp',
      'udp',
      'vlan',
      'vxlan',
    ]);
  });

  test('keeps to the fields that it is told', () => {
    const told = validPacket({
      maxDepth: 0,
      maxPayloadBytes: 3,
      layers: { ipv4: { dst: ipv4Address('192.0.2.0/24') }, udp: { dport: fc.constant(443) } },
    });
    fc.assert(
      fc.property(told, (built) => {
        const { dst } = built.get('ipv4') ?? { dst: '192.0.2.1' };
        expect(inPrefix(dst, '192.0.2.0/24')).toBe(true);
        expect(built.get('udp')?.dport ?? 443).toBe(443);
        expect(built.get('raw')?.bytes.length ?? 0).toBeLessThanOrEqual(3);
        expect(built.get('ipv4[1]')).toBeUndefined();
      }),
      { ...runs, numRuns: 300 },
    );
  });
});

describe('shrinking', () => {
  /** The smallest counterexample that fast-check finds for a property that does not hold. */
  function smallest<T>(arbitrary: fc.Arbitrary<T>, holds: (value: T) => boolean, seed: number): T {
    const result = fc.check(fc.property(arbitrary, holds), { seed, numRuns: 20_000 });
    expect(result.failed).toBe(true);
    return result.counterexample![0];
  }

  const seeds = [1, 2, 3, 4, 5];

  test.each(seeds)('a failure on any packet shrinks to a plain one (seed %i)', (seed) => {
    const plain = packet(eth(), ipv4(), udp(), payload(''));
    expect(smallest(validPacket(), () => false, seed).bytes).toEqual(plain.bytes);
  });

  test.each(seeds)('a failure on long payloads shrinks to the shortest that fails (seed %i)', (seed) => {
    const found = smallest(validPacket(), (built) => (built.get('raw')?.bytes.length ?? 0) < 3, seed);
    expect(found.bytes).toEqual(packet(eth(), ipv4(), udp(), payload(new Uint8Array(3))).bytes);
  });

  test.each(seeds)('a failure on one field leaves all others as they are by default (seed %i)', (seed) => {
    const found = smallest(validPacket(), (built) => (built.get('ipv4')?.ttl ?? 64) >= 5, seed);
    expect(found.bytes).toEqual(packet(eth(), ipv4({ ttl: 0 }), udp(), payload('')).bytes);
  });

  test.each(seeds)('a failure on IPv6 drops extension headers, tags and payload (seed %i)', (seed) => {
    const found = smallest(validPacket(), (built) => built.get('ipv6') === undefined, seed);
    expect(found.bytes).toEqual(packet(eth(), ipv6(), udp(), payload('')).bytes);
  });

  test.each(seeds)('a fault shrinks to a plain packet with that fault (seed %i)', (seed) => {
    const found = smallest(almostValidPacket(), ({ kind }) => kind !== 'length', seed);
    expect(found.valid.bytes).toEqual(packet(eth(), ipv4(), udp(), payload('')).bytes);
    expect(found.fault).toBe('ipv4[0].totalLength is 29, not 28');
    expect(String(found)).toContain('but ipv4[0].totalLength is 29, not 28: 020000000002');
  });

  test.each(seeds)('hostile bytes shrink to the ones that matter (seed %i)', (seed) => {
    const found = smallest(hostilePacket(), (bytes) => bytes.length < 20 || bytes[19]! < 0x80, seed);
    expect(found.length).toBeLessThanOrEqual(62);
    expect(found[19]! & 0x80).toBe(0x80);
    const random = smallest(
      hostilePacket({ maxBytes: 40, maxDepth: 0 }),
      (bytes) => bytes[13] !== 0xff,
      seed,
    );
    expect(random.length).toBeLessThanOrEqual(40);
  });
});

describe('almostValidPacket', () => {
  test('has exactly one thing wrong, of every kind', () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(almostValidPacket(), ({ valid, bytes, kind, fault }) => {
        seen.set(kind, (seen.get(kind) ?? 0) + 1);
        expect(Buffer.compare(bytes, valid.bytes), fault).not.toBe(0);
        if (kind === 'truncated') {
          expect(bytes.length).toBeLessThan(valid.length);
          expect(bytes.length).toBeGreaterThanOrEqual(14);
          expect(bytes).toEqual(valid.bytes.slice(0, bytes.length));
          return;
        }
        expect(bytes.length).toBe(valid.length);
        const path = fault.slice(0, fault.indexOf(' '));
        const place = locateField(valid, path as never);
        const wrong = place.read(bytes);
        expect(wrong, fault).not.toBe(place.read(valid.bytes));
        // With that one field right again it is the valid packet, but for checksums that cover the field.
        const mended = bytes.slice();
        place.write(mended, place.read(valid.bytes));
        for (const checksum of place.checksums) {
          const width = checksum.algorithm === 'crc32c' ? 4 : 2;
          mended.set(valid.bytes.subarray(checksum.offset, checksum.offset + width), checksum.offset);
        }
        expect(mended, fault).toEqual(valid.bytes);
        // And in the packet as it is the checksums over that field are right, so it is the only fault.
        for (const checksum of place.checksums) {
          const width = checksum.algorithm === 'crc32c' ? 4 : 2;
          let value = 0;
          for (let i = 0; i < width; i++) value = value * 256 + bytes[checksum.offset + i]!;
          expect(value, fault).toBe(computeChecksum(bytes, checksum));
        }
      }),
      runs,
    );
    expect([...seen.keys()].sort()).toEqual(['checksum', 'length', 'truncated', 'version']);
    for (const count of seen.values()) expect(count).toBeGreaterThan(runs.numRuns / 10);
  });

  test('a wrong checksum is wrong in the arithmetic of checksums, and never 0', () => {
    fc.assert(
      fc.property(almostValidPacket({ maxDepth: 0 }), ({ valid, bytes, kind }) => {
        if (kind !== 'checksum') return;
        const wrong = wrongChecksums(dissect(bytes));
        expect(wrong, String(valid)).toHaveLength(1);
        for (const path of pathsOf(valid, 'checksum')) {
          if (!path.startsWith('udp')) continue;
          expect(locateField(valid, path as never).read(bytes)).not.toBe(0);
        }
      }),
      runs,
    );
  });
});

describe('hostilePacket', () => {
  test('keeps to its sizes, and a dissection never throws nor loses a byte', () => {
    fc.assert(
      fc.property(hostilePacket({ minBytes: 1, maxBytes: 100 }), (bytes) => {
        expect(bytes.length >= 1 && bytes.length <= 100).toBe(true);
        expect(dissect(bytes).bytes).toEqual(bytes);
      }),
      runs,
    );
  });

  test('some look like packets for a while, most are none', () => {
    const reached = new Set<string>();
    let broken = 0;
    for (const bytes of fc.sample(hostilePacket(), runs)) {
      const read = dissect(bytes);
      for (const { kind } of read.layers) reached.add(kind);
      if (
        wrongChecksums(read).length > 0 ||
        read.layers.some((one) => one.kind === 'raw' && one.reason !== undefined)
      )
        broken++;
    }
    for (const kind of ['ipv4', 'ipv6', 'vlan', 'tcp', 'udp', 'vxlan']) expect(reached).toContain(kind);
    expect(broken).toBeGreaterThan(runs.numRuns / 3);
  });
});

describe('layers and values', () => {
  test('packetOf puts layers together', () => {
    const arbitrary = packetOf(
      layer('eth'),
      layer('ipv4', { ttl: fc.constant(7) }),
      layer('tcp'),
      payloadLayer(5),
    );
    fc.assert(
      fc.property(arbitrary, (built) => {
        expect(built).toBeInstanceOf(Packet);
        expect(built.layers.map(({ kind }) => kind)).toEqual(['eth', 'ipv4', 'tcp', 'raw']);
        expect(built.get('ipv4')!.ttl).toBe(7);
      }),
      { ...runs, numRuns: 200 },
    );
  });

  test('every field of a layer is sometimes set and sometimes left out', () => {
    const ttls = new Set(fc.sample(layer('ipv4'), { ...runs, numRuns: 200 }).map(({ ttl }) => ttl));
    expect(ttls.has(64)).toBe(true);
    expect(ttls.size).toBeGreaterThan(20);
  });

  test('addresses keep to their prefix', () => {
    fc.assert(
      fc.property(
        ipv4Address('10.16.0.0/12'),
        ipv6Address('2001:db8:8000::/33'),
        macAddress(),
        (v4, v6, mac) => {
          expect(inPrefix(v4, '10.16.0.0/12')).toBe(true);
          expect(inPrefix(v6, '2001:db8:8000::/33')).toBe(true);
          expect(Number.parseInt(mac.slice(0, 2), 16) & 3).toBe(2);
        },
      ),
      runs,
    );
  });

  test.each([
    () => ipv4Address('10.0.0.0'),
    () => ipv4Address('10.0.0.0/33'),
    () => ipv6Address('10.0.0.0/8'),
    () => layer('raw' as 'eth'),
    () => validPacket({ depth: 1 } as object),
    () => validPacket({ maxDepth: 9 }),
    () => validPacket({ layers: { ip: {} } as object }),
    () => hostilePacket({ minBytes: 5, maxBytes: 4 }),
  ])('refuses %s', (fault) => {
    expect(fault).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^XDP_(INVALID_ARGUMENT|PACKET_INVALID)$/) }),
    );
  });
});
