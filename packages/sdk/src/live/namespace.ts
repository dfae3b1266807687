/** Private network namespaces. */
import type { Socket as DatagramSocket } from 'node:dgram';
import type { Server, Socket } from 'node:net';
import { describeValue, expectInteger, expectOptions, invalidArgument } from '../errors.ts';
import { native } from '../native.ts';
import { Bond } from './bond.ts';
import { type BondOptions, bondData, checkBond } from './bond-options.ts';
import { NamespaceCore } from './core.ts';
import { interfaceOf, type NetworkInterface, notePair, parsePrefix } from './interface.ts';
import { newRoute, parseIp } from './netlink/addresses.ts';
import { IFLA_BR_MCAST_SNOOPING, NLM_F_CREATE, NLM_F_EXCL, RTM } from './netlink/constants.ts';
import { newLink, newVeth } from './netlink/links.ts';
import { setOffloads } from './offloads.ts';
import { bindUdp, connectTcp, listenTcp, type SocketAddress, type TcpTarget } from './sockets.ts';

/** Options of both ends of a veth pair. */
export interface VethOptions {
  /** Default 1,500. */
  readonly mtu?: number;
  /** Transmit and receive queues of each end. Default 1. */
  readonly queues?: number;
  /** Keeps segmentation, merging and postponed checksums, as a veth has them; default false: a wire knows none. */
  readonly offloads?: boolean;
}

/** One end of a veth pair. */
export interface VethEnd {
  readonly name: string;
  /** Default: one that the kernel makes up. */
  readonly mac?: string;
}

/** The other end of a veth pair, in any namespace. */
export interface VethPeer extends VethEnd {
  readonly namespace: NetworkNamespace;
}

/** A route for {@link NetworkNamespace.addRoute}. */
export interface Route {
  /** `10.0.0.0/8`, `default` for all of IPv4. */
  readonly to: string;
  readonly via?: string;
  readonly over: NetworkInterface;
}

let coreOf: (namespace: NetworkNamespace) => NamespaceCore;

/**
 * A network namespace of this process alone. Nothing but descriptors hold it: it ends, with all that is in it, by
 * `close()` or `using`, at the latest when the process dies, however it dies.
 *
 * IPv6 is off on its interfaces until one gets an IPv6 address: no interface sends anything by itself. One with an IPv6
 * address reports the multicast groups that it listens to (RFC 3810).
 * Needs CAP_SYS_ADMIN and CAP_NET_ADMIN.
 */
export class NetworkNamespace {
  readonly #core: NamespaceCore;

  static {
    coreOf = (namespace) => namespace.#core;
  }

  /**
   * Makes a namespace.
   * @param name for messages and captures only; nobody else sees it
   * @param descriptor opens an existing namespace in its place: that of a file such as /run/netns/NAME, or one that a
   *   parent process handed down. It is duplicated, and the namespace is left as it is.
   */
  constructor(name = 'namespace', descriptor?: number) {
    if (typeof name !== 'string' || name === '') {
      throw invalidArgument(`NetworkNamespace: name must be a string, got ${describeValue(name)}`);
    }
    if (descriptor !== undefined) expectInteger('NetworkNamespace: descriptor', descriptor, 0, 0x7fff_ffff);
    this.#core = new NamespaceCore(name, descriptor);
    if (descriptor !== undefined) return;
    for (const which of ['default', 'all']) this.#quiet(`/proc/sys/net/ipv6/conf/${which}/disable_ipv6`);
    this.interface('lo').up();
  }

  /** The descriptor that holds it, to be handed to a child process (`stdio` of `spawn`) or to a worker thread. */
  get descriptor(): number {
    this.#core.requireOpen();
    return native().handleNumber(this.#core.netns);
  }

  get name(): string {
    return this.#core.name;
  }

  get closed(): boolean {
    return this.#core.closed;
  }

  /** The interface of that name. */
  interface(name: string): NetworkInterface {
    return interfaceOf(this.#core, this.#core.linkState(name));
  }

  /** All interfaces. */
  interfaces(): NetworkInterface[] {
    return this.#core.linkStates().map((state) => interfaceOf(this.#core, state));
  }

  /** Makes a veth pair, one end here and one there, both up. */
  addVeth(
    end: string | VethEnd,
    peer: VethPeer,
    options?: VethOptions,
  ): readonly [NetworkInterface, NetworkInterface] {
    const {
      mtu,
      queues,
      offloads = false,
    } = expectOptions('addVeth', options, ['mtu', 'queues', 'offloads']);
    if (mtu !== undefined) expectInteger('addVeth: mtu', mtu, 68, 65_535);
    if (queues !== undefined) expectInteger('addVeth: queues', queues, 1, 4096);
    const here = typeof end === 'string' ? { name: end } : end;
    const there = coreOf(peer.namespace);
    there.requireOpen();
    const common = { mtu, queues };
    const body = newVeth(
      { ...common, name: interfaceName(here.name), mac: here.mac },
      {
        ...common,
        name: interfaceName(peer.name),
        mac: peer.mac,
        netnsFd: native().handleNumber(there.netns),
      },
    );
    this.#core.request(
      `making veth pair ${here.name} - ${peer.name}`,
      RTM.newLink,
      NLM_F_CREATE | NLM_F_EXCL,
      body,
    );
    const a = this.interface(here.name);
    const b = interfaceOf(there, there.linkState(peer.name));
    notePair(a, b);
    if (!offloads) {
      setOffloads(this.#core, a.name, false);
      setOffloads(there, b.name, false);
    }
    return [a.up(), b.up()];
  }

  /** Makes a bridge, up: a switch for the interfaces whose master it becomes. */
  addBridge(name: string): NetworkInterface {
    const body = newLink({ name: interfaceName(name) }, 'bridge', (data) =>
      // Snooping would make the bridge itself join groups and ask for listeners.
      data.attribute(IFLA_BR_MCAST_SNOOPING, (value) => value.u8(0)),
    );
    this.#core.request(`making bridge ${name}`, RTM.newLink, NLM_F_CREATE | NLM_F_EXCL, body);
    return this.interface(name).up();
  }

  /**
   * Makes a bond, down: give it ports with `addPort`, then bring it up.
   * @throws XdpError `XDP_FEATURE_UNSUPPORTED` where the kernel has no bonding driver (module `bonding`)
   */
  addBond(name: string, options: BondOptions): Bond {
    const settings = checkBond(options);
    const body = newLink({ name: interfaceName(name) }, 'bond', (data) => bondData(data, settings));
    const { refusal } = this.#core.netlink.ask(RTM.newLink, NLM_F_CREATE | NLM_F_EXCL, body);
    if (refusal !== undefined) throw Bond.refused(`${this.name}: making bond ${name}`, refusal);
    const bond = new Bond(this.#core, this.#core.linkState(name));
    this.#core.interfaces.set(bond.index, bond);
    return bond;
  }

  /** Adds a route. */
  addRoute(route: Route): this {
    const { ip, prefixLength } = parsePrefix(route.to === 'default' ? '0.0.0.0/0' : route.to);
    const via = route.via === undefined ? undefined : parseIp(route.via);
    const body = newRoute(route.over.index, ip, prefixLength, via);
    this.#core.request(`adding a route to ${route.to}`, RTM.newRoute, NLM_F_CREATE | NLM_F_EXCL, body);
    return this;
  }

  /** Reads or sets a sysctl of the network: `net.ipv4.ip_forward`. */
  sysctl(name: string, value?: string | number): string {
    if (!/^net\.[\w.\-/]+$/.test(name)) {
      throw invalidArgument(
        `sysctl: a name such as net.ipv4.ip_forward is needed, got ${describeValue(name)}`,
      );
    }
    const path = `/proc/sys/${name.replaceAll('.', '/')}`;
    if (value !== undefined) this.#core.writeFile(path, String(value));
    return this.#core.readFile(path).trim();
  }

  /**
   * A TCP server in the namespace, listening. `host` is an address; port 0 lets the kernel choose.
   * @throws XdpError `XDP_SYSCALL_FAILED` with EADDRINUSE or EADDRNOTAVAIL
   */
  listenTcp(address: SocketAddress, onConnection?: (socket: Socket) => void): Promise<Server> {
    return listenTcp(this.#core, address, onConnection);
  }

  /** A TCP connection from the namespace, made. */
  connectTcp(target: TcpTarget): Promise<Socket> {
    return connectTcp(this.#core, target);
  }

  /** A UDP socket in the namespace, bound. */
  bindUdp(address: SocketAddress): Promise<DatagramSocket> {
    return bindUdp(this.#core, address);
  }

  /** Ends it: its ports, attachments and sockets of this kit are closed, and its interfaces vanish. */
  close(): void {
    this.#core.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Sets a sysctl to 1 that a kernel without IPv6 does not have. */
  #quiet(path: string): void {
    native().netnsWrite(this.#core.netns, path, Uint8Array.of(0x31));
  }
}

/** IFNAMSIZ is 16 with the final zero; the rest are rules of dev_valid_name. */
function interfaceName(name: string): string {
  if (typeof name !== 'string' || !/^[^\s/:]{1,15}$/.test(name) || name === '.' || name === '..') {
    throw invalidArgument(
      `an interface's name has 1 to 15 characters, none of them a space, '/' or ':', got ${describeValue(name)}`,
    );
  }
  return name;
}

/** The inside of a namespace, for the rest of this room. */
export function namespaceCore(namespace: NetworkNamespace): NamespaceCore {
  return coreOf(namespace);
}
