/** What the balancer does with one packet of each kind. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { probeKernel, type RunResult, runXdp } from 'xdptest';
import {
  dissect,
  eth,
  fragment,
  icmp,
  ipv4,
  ipv6,
  type Packet,
  type PacketPart,
  packet,
  payload,
  tcp,
  udp,
  vlan,
} from 'xdptest/packet';
import { loadBalancer, makeBackends, setBackends, VIP } from './balancer.ts';

const lb = loadBalancer();
const backends = makeBackends(4);
setBackends(lb, backends);
afterAll(() => lb.close());

beforeEach(() => {
  lb.map('events').clear();
  lb.map('backend_traffic').clear();
});

const balance = (given: Packet): RunResult => runXdp(lb.program('balance'), given);
/** enum event of lb.bpf.c. */
const events = [
  'not IP',
  'not VIP',
  'fragment',
  'malformed',
  'too big',
  'no backend',
  'no headroom',
] as const;

/** The events counted so far. */
function counted(): Record<string, bigint> {
  return Object.fromEntries(
    events
      .map((name, index): [string, bigint] => [name, lb.map('events').sum(index) as bigint])
      .filter(([, count]) => count > 0n),
  );
}

const client4 = (...rest: PacketPart[]): Packet =>
  packet(eth(), ipv4({ src: '198.51.100.7', dst: VIP.v4, dscp: 10, ecn: 1, ttl: 57 }), ...rest);
const client6 = (...rest: PacketPart[]): Packet =>
  packet(eth(), ipv6({ src: '2001:db8:7::7', dst: VIP.v6, dscp: 10, ecn: 1, hopLimit: 57 }), ...rest);

describe('a packet to the VIP is sent on', () => {
  test.each([
    ['UDP', client4(udp({ sport: 40_000, dport: VIP.port }), payload('hello'))],
    ['TCP', client4(tcp({ sport: 40_000, dport: VIP.port, flags: ['SYN'] }))],
    [
      'UDP behind IPv4 options',
      packet(
        eth(),
        ipv4({
          src: '198.51.100.7',
          dst: VIP.v4,
          dscp: 10,
          ecn: 1,
          options: [{ type: 'routerAlert', value: 0 }],
        }),
        udp({ dport: VIP.port }),
      ),
    ],
  ])('in IPv4: %s', (_, given) => {
    const result = balance(given);
    expect(result.action).toBe('XDP_TX');
    const sent = dissect(result.packet);
    expect(sent.get('eth')).toMatchObject({ src: given.get('eth')!.dst, dst: given.get('eth')!.src });
    const outer = sent.get('ipv4')!;
    expect(backends.map(({ addr4 }) => addr4)).toContain(outer.dst);
    expect(outer).toMatchObject({ protocol: 4, ttl: 64, df: true, id: 0, dscp: 10, ecn: 1 });
    expect(outer.src).toMatch(/^172\.16\./);
    // In a dissected packet a field is `auto` when it is what would be computed: lengths and checksum are right.
    expect(sent.parts[1]).toMatchObject({ totalLength: 'auto', checksum: 'auto' });
    expect(sent.slice('ipv4[1]').bytes).toEqual(given.bytes.slice(14));
    expect(counted()).toEqual({});
  });

  test.each([
    ['UDP', client6(udp({ sport: 40_000, dport: VIP.port }), payload('hello'))],
    ['TCP', client6(tcp({ sport: 40_000, dport: VIP.port, flags: ['SYN'] }))],
  ])('in IPv6: %s', (_, given) => {
    const result = balance(given);
    expect(result.action).toBe('XDP_TX');
    const sent = dissect(result.packet);
    const outer = sent.get('ipv6')!;
    expect(backends.map(({ addr6 }) => addr6)).toContain(outer.dst);
    expect(outer).toMatchObject({ nextHeader: 41, hopLimit: 64, dscp: 10, ecn: 1 });
    expect(outer.payloadLength).toBe(given.length - 14);
    expect(outer.src).toMatch(/^fd00::/);
    expect(outer.flowLabel).not.toBe(0);
    expect(sent.slice('ipv6[1]').bytes).toEqual(given.bytes.slice(14));
  });

  test('a flow always goes to the same backend, and its packets look the same to routers', () => {
    const flow = (text: string): Packet => client4(udp({ sport: 40_000, dport: VIP.port }), payload(text));
    const outer = ['a', 'b', 'c'].map((text) => dissect(balance(flow(text)).packet).get('ipv4')!);
    expect(new Set(outer.map(({ src, dst }) => `${src} > ${dst}`)).size).toBe(1);
  });

  test('the padding of a short frame does not count as part of the packet', () => {
    const short = client4(udp({ dport: VIP.port }));
    const result = balance(
      packet(...short.parts, payload(new Uint8Array(60 - short.length)))
        .with('ipv4.totalLength', 28)
        .with('udp.length', 8),
    );
    expect(result.action).toBe('XDP_TX');
    expect(dissect(result.packet).get('ipv4')!.totalLength).toBe(20 + 28);
  });

  test('packets and bytes are counted for the backend', () => {
    const given = client4(udp({ dport: VIP.port }), payload(new Uint8Array(100)));
    const address = dissect(balance(given).packet).get('ipv4')!.dst;
    balance(given);
    const index = backends.findIndex(({ addr4 }) => addr4 === address);
    expect(lb.map('backend_traffic').sum(index)).toEqual({ packets: 2n, bytes: 2n * 128n });
  });
});

describe('what is not for the VIP goes to the kernel unchanged', () => {
  test.each([
    ['another address', 'not VIP', packet(eth(), ipv4({ dst: '192.0.2.2' }), udp({ dport: VIP.port }))],
    ['another port', 'not VIP', client4(udp({ dport: 80 }))],
    ['another protocol', 'not VIP', client4(icmp({ type: 8 }))],
    [
      'another address of IPv6',
      'not VIP',
      packet(eth(), ipv6({ dst: '2001:db8::2' }), udp({ dport: VIP.port })),
    ],
    ['ARP', 'not IP', packet(eth({ type: 0x0806 }), payload(new Uint8Array(46)))],
    [
      'a VLAN tag',
      'not IP',
      packet(eth(), vlan({ vid: 7 }), ipv4({ dst: VIP.v4 }), udp({ dport: VIP.port })),
    ],
    [
      'the first fragment',
      'fragment',
      packet(eth(), ipv4({ dst: VIP.v4, mf: true }), udp({ dport: VIP.port }), payload(new Uint8Array(16))),
    ],
    [
      'a later fragment',
      'fragment',
      packet(eth(), ipv4({ dst: VIP.v4, protocol: 17, fragmentOffset: 185 }), payload(new Uint8Array(64))),
    ],
    [
      'a fragment of IPv6',
      'fragment',
      packet(
        eth(),
        ipv6({ dst: VIP.v6 }),
        fragment({ mf: true }),
        udp({ dport: VIP.port }),
        payload(new Uint8Array(16)),
      ),
    ],
  ])('%s', (_, event, given) => {
    const result = balance(given);
    expect(result.action).toBe('XDP_PASS');
    expect(result.changed).toBe(false);
    expect(counted()).toEqual({ [event]: 1n });
  });
});

describe('what cannot be sent on is dropped, and counted', () => {
  const whole4 = client4(udp({ dport: VIP.port }), payload(new Uint8Array(64)));
  const whole6 = client6(tcp({ dport: VIP.port }));
  test.each([
    ['cut within the IPv4 header', 'malformed', whole4.bytes.slice(0, 14 + 19)],
    ['cut within the ports', 'malformed', whole4.bytes.slice(0, 14 + 20 + 3)],
    ['shorter than IPv4 says', 'malformed', whole4.bytes.slice(0, -1)],
    ['IPv4 of another version', 'malformed', whole4.with('ipv4.version', 5).bytes],
    ['IPv4 with a header of 16 bytes', 'malformed', whole4.with('ipv4.ihl', 4).bytes],
    ['IPv4 with a length below its header', 'malformed', whole4.with('ipv4.totalLength', 19).bytes],
    ['IPv4 with a length that ends within the ports', 'malformed', whole4.with('ipv4.totalLength', 23).bytes],
    ['cut within the IPv6 header', 'malformed', whole6.bytes.slice(0, 14 + 39)],
    ['shorter than IPv6 says', 'malformed', whole6.bytes.slice(0, -1)],
    ['IPv6 with no room for ports', 'malformed', whole6.with('ipv6.payloadLength', 3).bytes],
    [
      'too long for the tunnel',
      'too big',
      client4(udp({ dport: VIP.port }), payload(new Uint8Array(1500))).bytes,
    ],
    [
      'too long for the IPv6 tunnel',
      'too big',
      client6(udp({ dport: VIP.port }), payload(new Uint8Array(1460))).bytes,
    ],
  ])('%s', (_, event, bytes) => {
    expect(runXdp(lb.program('balance'), bytes).action).toBe('XDP_DROP');
    expect(counted()).toEqual({ [event]: 1n });
  });

  test('a full-sized packet just fits', () => {
    const full = client4(udp({ dport: VIP.port }), payload(new Uint8Array(1500 - 28)));
    expect(balance(full).action).toBe('XDP_TX');
    expect(balance(client6(udp({ dport: VIP.port }), payload(new Uint8Array(1500 - 48)))).action).toBe(
      'XDP_TX',
    );
  });

  test('the VIP has no backend of that family', () => {
    lb.map('backends').setMany(backends.map(({ addr4 }, i) => [i, { addr4, addr6: '::' }]));
    expect(balance(whole6).action).toBe('XDP_DROP');
    expect(balance(whole4).action).toBe('XDP_TX');
    expect(counted()).toEqual({ 'no backend': 1n });
    lb.map('backends').setMany(backends.map((backend, i) => [i, { ...backend }]));
  });

  test('a driver that left no headroom', ({ skip }) => {
    const metadataBytes = 216;
    const { maxMetadataBytes } = probeKernel().limits;
    skip(
      maxMetadataBytes < metadataBytes,
      `metadata takes up the headroom here, and this kernel allows ${maxMetadataBytes} bytes of it (more since 6.18)`,
    );
    const result = runXdp(lb.program('balance'), whole4, { metadata: new Uint8Array(metadataBytes) });
    expect(result.action).toBe('XDP_DROP');
    expect(counted()).toEqual({ 'no headroom': 1n });
  });
});
