/** Varied packets are, byte for byte, what building each one afresh with its values gives. */
import { describe, expect, test } from 'vitest';
import {
  eth,
  type FieldPath,
  fieldReader,
  gre,
  gue,
  icmp,
  icmpv6,
  internetChecksum,
  ipv4,
  ipv6,
  locateField,
  mpls,
  type Packet,
  type PacketChanges,
  packet,
  payload,
  random,
  sctp,
  sequence,
  srh,
  tcp,
  trailer,
  udp,
  type VaryFields,
  vary,
  vlan,
  vxlan,
} from 'xdptest/packet';

/** Builds a varied packet afresh, with the values that stand in it. */
function builtAfresh(template: Packet, fields: VaryFields, bytes: Uint8Array): Uint8Array {
  const changes: Record<string, Record<string, unknown>> = {};
  for (const path of Object.keys(fields) as FieldPath[]) {
    const [layer, field] = path.split('.') as [string, string];
    changes[layer] ??= {};
    changes[layer][field] = locateField(template, path).read(bytes);
  }
  return template.with(changes as PacketChanges).bytes;
}

const data = payload(Uint8Array.from({ length: 37 }, (_, i) => i * 7));
const inner = [ipv4({ src: '172.16.0.1' }), udp({ sport: 5 }), payload('inner')] as const;

const templates: Record<string, Packet> = {
  'IPv4 UDP': packet(eth(), ipv4(), udp(), data),
  'IPv4 UDP without checksum': packet(eth(), ipv4(), udp({ checksum: 0 }), data),
  'IPv4 UDP with a wrong checksum': packet(
    eth(),
    ipv4({ checksum: 0x1234 }),
    udp({ checksum: 0x4321 }),
    data,
  ),
  'IPv4 with options, TCP with options': packet(
    eth(),
    ipv4({ options: [{ type: 'strictSourceRoute', pointer: 4, addresses: ['192.0.2.7'] }] }),
    tcp({ options: [{ type: 'mss', mss: 1460 }] }),
    data,
  ),
  'QinQ, IPv4 TCP': packet(eth(), vlan(), vlan(), ipv4(), tcp(), data),
  'IPv4 ICMP': packet(eth(), ipv4(), icmp(), data),
  'IPv6 UDP': packet(eth(), ipv6(), udp(), data),
  'IPv6 TCP': packet(eth(), ipv6(), tcp(), payload('')),
  'IPv6 ICMPv6': packet(eth(), ipv6(), icmpv6(), data),
  'IPv4 in IPv4': packet(eth(), ipv4(), ...inner),
  'IPv4 in IPv6': packet(eth(), ipv6(), ...inner),
  'an ICMP error that quotes UDP': packet(eth(), ipv4(), icmp({ type: 3 }), ...inner),
  'GUE, checksums inside and outside': packet(eth(), ipv4(), udp(), gue(), ...inner),
  'GUE over IPv6 without a checksum': packet(eth(), ipv6(), udp({ checksum: 0 }), gue(), ...inner),
  'VXLAN, three checksums in one another': packet(eth(), ipv4(), udp(), vxlan(), eth(), ipv6(), tcp(), data),
  'GRE with checksum and key': packet(eth(), ipv4(), gre({ checksum: 'auto', key: 7 }), ...inner),
  MPLS: packet(eth(), mpls(), ...inner),
  'SCTP, whose CRC an outer checksum covers': packet(eth(), ipv4(), udp(), gue(), ipv4(), sctp(), data),
  'SRv6, whose final segment is in the pseudo header': packet(
    eth(),
    ipv6({ dst: '2001:db8::2' }),
    srh({ segments: ['2001:db8::3', '2001:db8::2'], segmentsLeft: 1 }),
    udp(),
    data,
  ),
  'a padded frame': packet(eth(), ipv4(), udp(), trailer(new Uint8Array(18))),
};

/** Fields to vary, of all widths and alignments that there are. */
const candidates: readonly FieldPath[] = [
  'eth.src',
  'eth.dst',
  'vlan.vid',
  'vlan[1].pcp',
  'ipv4.src',
  'ipv4.dst',
  'ipv4.id',
  'ipv4.ttl',
  'ipv4.dscp',
  'ipv4.ecn',
  'ipv4.df',
  'ipv6.src',
  'ipv6.dst',
  'ipv6.hopLimit',
  'ipv6.flowLabel',
  'ipv4[1].src',
  'ipv4[1].dst',
  'udp.sport',
  'udp.dport',
  'tcp.sport',
  'tcp.seq',
  'tcp.ack',
  'tcp.window',
  'tcp.flags',
  'icmp.id',
  'icmp.seq',
  'icmpv6.id',
  'icmpv6.code',
  'eth[1].dst',
  'udp[1].sport',
  'vxlan.vni',
  'gre.key',
  'mpls.label',
  'sctp.sport',
  'sctp.tag',
  'srh.tag',
];

describe.each(Object.entries(templates))('%s', (_, template) => {
  const has = candidates.filter((path) => {
    try {
      return fieldReader(path)(template) !== undefined;
    } catch {
      return false;
    }
  });

  test('each field alone, and all of them at once', () => {
    expect(has.length).toBeGreaterThan(3);
    const sets = [...has.map((path) => [path]), has];
    for (const paths of sets) {
      const fields = Object.fromEntries(paths.map((path, i) => [path, random({ seed: i })])) as VaryFields;
      const varied = vary(template, fields, paths.length > 1 ? 500 : 80);
      const seen = new Set<string>();
      for (const bytes of varied) {
        const afresh = builtAfresh(template, fields, bytes);
        // A deep comparison only where there is a difference to show: it is slow.
        if (Buffer.compare(bytes, afresh) !== 0) expect(bytes, paths.join()).toEqual(afresh);
        seen.add(bytes.join());
      }
      expect(seen.size, `${paths} does vary`).toBeGreaterThan(1);
    }
  });
});

describe('checksums', () => {
  const port = sequence({ from: 0 });

  test('UDP sends a computed 0 as 0xffff: over all ports it comes up, and only there', () => {
    for (const template of [templates['IPv4 UDP']!, templates['IPv6 UDP']!]) {
      const read = fieldReader('udp.checksum');
      const sums = new Set<number>();
      let count = 0;
      for (const bytes of vary(template, { 'udp.sport': port }, 65_536)) {
        const checksum = read(bytes)!;
        sums.add(checksum);
        if (checksum === 0xffff) {
          count++;
          expect(bytes).toEqual(builtAfresh(template, { 'udp.sport': port }, bytes));
        }
      }
      expect(sums.has(0)).toBe(false);
      expect(count).toBeGreaterThan(0);
    }
  });

  test('TCP does send 0', () => {
    const read = fieldReader('tcp.checksum');
    const sums = [...vary(templates['IPv6 TCP']!, { 'tcp.sport': port }, 65_536)].map((bytes) => read(bytes));
    expect(sums).toContain(0);
  });

  test('an absent or wrong checksum stays what it was', () => {
    const absent = vary(
      templates['IPv4 UDP without checksum']!,
      { 'udp.sport': port, 'ipv4.src': random() },
      100,
    );
    for (const bytes of absent) {
      expect(fieldReader('udp.checksum')(bytes)).toBe(0);
      expect(internetChecksum(bytes, 14, 34)).toBe(0);
    }
    const wrong = vary(templates['IPv4 UDP with a wrong checksum']!, { 'ipv4.src': random() }, 100);
    for (const bytes of wrong) {
      expect(fieldReader('udp.checksum')(bytes)).toBe(0x4321);
      expect(fieldReader('ipv4.checksum')(bytes)).toBe(0x1234);
    }
  });

  test('a checksum that is varied itself has the values it is given', () => {
    const fields = { 'udp.checksum': sequence({ from: 1 }), 'udp.sport': random({ seed: 2 }) };
    const varied = vary(templates['IPv4 UDP']!, fields, 300);
    expect([...varied].map((bytes) => fieldReader('udp.checksum')(bytes))).toEqual(
      Array.from({ length: 300 }, (_, i) => i + 1),
    );
  });

  test('templates that are plain bytes are dissected first', () => {
    const template = templates['IPv4 UDP']!;
    const fields = { 'ipv4.src': random({ seed: 1 }), 'udp.sport': random({ seed: 2 }) };
    expect([...vary(template.bytes, fields, 50)]).toEqual([...vary(template, fields, 50)]);
  });
});
