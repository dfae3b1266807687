/** A load balancer's surroundings: a client, a router, the balancer and its servers, each in a namespace of its own. */
import { readFileSync } from 'node:fs';
import { expectInteger, expectOptions } from '../errors.ts';
import { bundledBpfObject } from '../native.ts';
import { XdpObject } from '../object/index.ts';
import type { NetworkInterface } from './interface.ts';
import { NetworkNamespace } from './namespace.ts';

/** Options of {@link BalancerTopology}. */
export interface TopologyOptions {
  /** How many. Default 2, at most 254. */
  readonly servers?: number;
  /** Virtual addresses, of either family: each server has all of them. Default 192.0.2.1. */
  readonly vips?: readonly string[];
  /** Gives everything an IPv6 address too. Default: if a virtual address is one. */
  readonly ipv6?: boolean;
}

/** A host of the topology, and its one link to the router. */
export interface TopologyHost {
  readonly namespace: NetworkNamespace;
  /** The host's end of the link. */
  readonly interface: NetworkInterface;
  /** The router's end. */
  readonly uplink: NetworkInterface;
  readonly address: string;
  /** Undefined without IPv6. */
  readonly address6: string | undefined;
}

/** Room for the outer header of a tunnel, behind the client's 1,500. */
const TUNNEL_MTU = 1600;

/**
 * Client, router, balancer and servers:
 *
 *     client --- router --- balancer     the router sends the virtual addresses to the balancer
 *                  |  \
 *            server 0  server 1 ...      each has the virtual addresses, and answers the client directly
 *
 * The balancer gets packets to a virtual address, and sends them on in an IP-in-IP tunnel to a server's own address,
 * back through the router. Servers take the outer header off with an XDP program, since not every kernel has a tunnel
 * driver, and answer from the virtual address over the router: the balancer sees one direction only.
 * Neighbours are entered beforehand, so nobody asks for addresses.
 */
export class BalancerTopology {
  readonly client: TopologyHost;
  readonly router: NetworkNamespace;
  readonly balancer: TopologyHost;
  readonly servers: readonly TopologyHost[];
  readonly #namespaces: NetworkNamespace[] = [];
  readonly #decapsulators: XdpObject[] = [];

  constructor(options?: TopologyOptions) {
    const checked: TopologyOptions = expectOptions('BalancerTopology', options, ['servers', 'vips', 'ipv6']);
    const { servers = 2, vips = ['192.0.2.1'] } = checked;
    const ipv6 = checked.ipv6 ?? vips.some((vip) => vip.includes(':'));
    expectInteger('BalancerTopology: servers', servers, 1, 254);
    try {
      this.router = this.#namespace('router');
      this.router.sysctl('net.ipv4.ip_forward', 1);
      if (ipv6) this.router.sysctl('net.ipv6.conf.all.forwarding', 1);
      this.client = this.#host('client', '198.51.100', ipv6 ? '2001:db8:c' : undefined, 1, 1500);
      this.balancer = this.#host('balancer', '10.0.0', ipv6 ? 'fd00:0:0' : undefined, 2, TUNNEL_MTU);
      this.servers = Array.from({ length: servers }, (_, i) =>
        this.#host(
          `server${i}`,
          `10.1.${i}`,
          ipv6 ? `fd00:1:${i.toString(16)}` : undefined,
          i + 3,
          TUNNEL_MTU,
        ),
      );
      for (const vip of vips) {
        const six = vip.includes(':');
        const via = six ? this.balancer.address6! : this.balancer.address;
        this.router.addRoute({ to: `${vip}/${six ? 128 : 32}`, via, over: this.balancer.uplink });
        for (const server of this.servers) server.namespace.interface('lo').addAddress(vip);
      }
      for (const server of this.servers) this.#decapsulate(server);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** All of them: router, client, balancer, servers. */
  get namespaces(): readonly NetworkNamespace[] {
    return this.#namespaces;
  }

  /** All ends of all links, for a recorder. */
  interfaces(): NetworkInterface[] {
    return [this.client, this.balancer, ...this.servers].flatMap((host) => [host.interface, host.uplink]);
  }

  /** How many tunnel packets each server has got. */
  decapsulated(): number[] {
    return this.#decapsulators.map((object) => Number(object.variables.decapsulated));
  }

  close(): void {
    for (const namespace of this.#namespaces) namespace.close();
    for (const object of this.#decapsulators) object.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #namespace(name: string): NetworkNamespace {
    const namespace = new NetworkNamespace(name);
    this.#namespaces.push(namespace);
    // The answer comes from another side than the question went to.
    for (const which of ['all', 'default']) namespace.sysctl(`net.ipv4.conf.${which}.rp_filter`, 0);
    return namespace;
  }

  #host(
    name: string,
    network: string,
    network6: string | undefined,
    number: number,
    mtu: number,
  ): TopologyHost {
    const namespace = this.#namespace(name);
    const low = number.toString(16).padStart(2, '0');
    const [uplink, end] = this.router.addVeth(
      { name, mac: `02:00:00:00:00:${low}` },
      { namespace, name: 'eth0', mac: `02:00:00:00:01:${low}` },
      { mtu },
    );
    const link = (gateway: string, address: string, length: number, everything: string): void => {
      uplink.addAddress(`${gateway}/${length}`).addNeighbour(address, end.mac);
      end.addAddress(`${address}/${length}`).addNeighbour(gateway, uplink.mac);
      namespace.addRoute({ to: everything, via: gateway, over: end });
    };
    link(`${network}.1`, `${network}.2`, 24, 'default');
    if (network6 !== undefined) link(`${network6}::1`, `${network6}::2`, 64, '::/0');
    return {
      namespace,
      interface: end,
      uplink,
      address: `${network}.2`,
      address6: network6 === undefined ? undefined : `${network6}::2`,
    };
  }

  #decapsulate(server: TopologyHost): void {
    const object = XdpObject.load(readFileSync(bundledBpfObject('decapsulate')), { name: 'decapsulate' });
    this.#decapsulators.push(object);
    server.interface.attach(object.program('decapsulate'));
  }
}
