/** Namespaces and what netlink makes in them. */
import { readlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { XdpError } from 'xdptest';
import { NetworkNamespace } from 'xdptest/live';
import { numbered } from './support/frames.ts';

function codeOf(action: () => unknown): string | undefined {
  try {
    action();
  } catch (error) {
    return error instanceof XdpError ? `${error.code}: ${error.message}` : String(error);
  }
  return undefined;
}

describe('a private namespace', () => {
  let a: NetworkNamespace;
  let b: NetworkNamespace;
  beforeEach(() => {
    a = new NetworkNamespace('a');
    b = new NetworkNamespace('b');
  });
  afterEach(() => {
    a.close();
    b.close();
  });

  test('leaves every thread of the process in the namespace that it was in', () => {
    const own = readlinkSync('/proc/self/ns/net');
    a.addVeth('veth0', { namespace: b, name: 'veth1' });
    expect(readlinkSync('/proc/thread-self/ns/net')).toBe(own);
  });

  test('begins with a loopback interface that is up, and no other', () => {
    expect(a.interfaces().map(String)).toEqual(['a/lo']);
    expect(a.interface('lo').state.up).toBe(true);
  });

  test('has veth pairs with the MAC addresses, MTU and queues that were asked for, both ends up', () => {
    const [end, peer] = a.addVeth(
      { name: 'veth0', mac: '02:00:00:00:00:01' },
      { namespace: b, name: 'veth1', mac: '02:00:00:00:00:02' },
      { mtu: 1280, queues: 2 },
    );
    expect(end.state).toMatchObject({ up: true, carrier: true, mac: '02:00:00:00:00:01', mtu: 1280 });
    expect(peer.state).toMatchObject({ up: true, carrier: true, mac: '02:00:00:00:00:02', mtu: 1280 });
    expect(String(peer)).toBe('b/veth1');
    expect(end.peer).toBe(peer);
  });

  test('loses the carrier with the other end', () => {
    const [end, peer] = a.addVeth('veth0', { namespace: b, name: 'veth1' });
    peer.down();
    expect(end.state.carrier).toBe(false);
    peer.up();
    expect(end.state.carrier).toBe(true);
    peer.remove();
    expect(codeOf(() => a.interface('veth0'))).toBe(
      'XDP_NO_SUCH_INTERFACE: there is no interface veth0 in a; it has lo',
    );
  });

  test('sends nothing by itself: no neighbour discovery, no reports of listeners', async () => {
    const [end, peer] = a.addVeth('veth0', { namespace: b, name: 'veth1' });
    const port = peer.open({ direction: 'both' });
    end.addAddress('10.0.0.1/24');
    await expect(port.capture({ timeoutMs: 1500 })).rejects.toMatchObject({ code: 'XDP_TIMEOUT' });
  });

  test('makes a bridge that carries frames between its ports', async () => {
    const bridge = a.addBridge('br0');
    const [one, first] = a.addVeth('port1', { namespace: b, name: 'eth1' });
    const [two, second] = a.addVeth('port2', { namespace: b, name: 'eth2' });
    one.setMaster(bridge);
    two.setMaster(bridge);
    expect(one.state.master).toBe('br0');
    const [from, to] = [first.open(), second.open()];
    const frame = numbered({ src: first.mac, dst: 'ff:ff:ff:ff:ff:ff' }, 1).bytes;
    from.send(frame);
    expect((await to.capture())[0]?.bytes).toEqual(frame);
  });

  test('takes addresses, neighbours and routes, visible in its own /proc only', () => {
    const [end] = a.addVeth('veth0', { namespace: b, name: 'veth1' });
    end.addAddress('10.0.0.1/24').addNeighbour('10.0.0.2', '02:00:00:00:00:02');
    a.addRoute({ to: '192.0.2.0/24', via: '10.0.0.2', over: end }).addRoute({ to: 'default', over: end });
    a.addRoute({ to: '2001:db8:1::/48', via: '2001:db8::2', over: end.addAddress('2001:db8::1/64') });
    expect(a.sysctl('net.ipv4.ip_forward', 1)).toBe('1');
    expect(b.sysctl('net.ipv4.ip_forward')).toBe('0');
  });

  test.each<[string, (end: NetworkNamespace, peer: NetworkNamespace) => unknown, RegExp]>([
    ['a name twice', (x, y) => x.addVeth('lo', { namespace: y, name: 'v' }), /SYSCALL_FAILED: .*EEXIST/],
    ['a long name', (x, y) => x.addVeth('sixteen-letters-', { namespace: y, name: 'v' }), /INVALID_ARGUMENT/],
    ['an unknown interface', (x) => x.interface('eth9'), /NO_SUCH_INTERFACE.*it has lo/],
    [
      'a prefix without sense',
      (x) => x.interface('lo').addAddress('10.0.0.1/33'),
      /INVALID_ARGUMENT.*0 to 32/,
    ],
    [
      'an unreachable gateway',
      (x) => x.addRoute({ to: 'default', via: '10.9.9.9', over: x.interface('lo') }),
      /the kernel says: Nexthop/,
    ],
    ['a sysctl of the machine', (x) => x.sysctl('kernel.pid_max'), /INVALID_ARGUMENT/],
    [
      'a bond in an unknown mode',
      (x) => x.addBond('bond0', { mode: 'balance' as 'balance-rr' }),
      /INVALID_ARGUMENT/,
    ],
    [
      'a setting of another mode',
      (x) => x.addBond('bond0', { mode: 'balance-rr', hashPolicy: 'layer2' }),
      /INVALID_ARGUMENT.*not for balance-rr/,
    ],
  ])('says what is wrong with %s', (_what, action, expected) => {
    expect(codeOf(() => action(a, b))).toMatch(expected);
  });

  test('refuses all work once it is closed, and closing twice is nothing', () => {
    const lo = a.interface('lo');
    a.close();
    a.close();
    for (const action of [
      () => a.interfaces(),
      () => lo.up(),
      () => lo.open(),
      () => a.sysctl('net.ipv4.ip_forward'),
    ]) {
      expect(codeOf(action)).toBe('XDP_CLOSED: network namespace a was closed');
    }
  });
});
