/** Requests and answers about interfaces: RTM_NEWLINK, RTM_DELLINK, RTM_GETLINK. */
import { formatMac, parseMac } from '../../packet/index.ts';
import { AF_UNSPEC, IFF_UP, IFLA, IFLA_INFO, IFLA_XDP, VETH_INFO_PEER } from './constants.ts';
import { Attributes, readS32, type WireMessage, WireWriter } from './wire.ts';

/** struct ifinfomsg */
export const IFINFO_BYTES = 16;

/** A new interface, or one end of a pair of them. */
export interface NewLink {
  readonly name: string;
  readonly mac?: string | undefined;
  readonly mtu?: number | undefined;
  readonly queues?: number | undefined;
  /** The namespace that it is to be in, if another one. */
  readonly netnsFd?: number | undefined;
}

/** struct rtnl_link_stats64, its first members, in their order there. */
const counterNames = [
  'rxPackets',
  'txPackets',
  'rxBytes',
  'txBytes',
  'rxErrors',
  'txErrors',
  'rxDropped',
  'txDropped',
] as const;

/** Counters of an interface, since it was made. */
export type InterfaceCounters = { readonly [N in (typeof counterNames)[number]]: number };

/** What the kernel tells of an interface. */
export interface LinkState {
  readonly index: number;
  readonly name: string;
  readonly mac: string;
  readonly mtu: number;
  readonly up: boolean;
  readonly carrier: boolean;
  /** The interface that it belongs to, a bridge or a bond; 0 for none. */
  readonly master: number;
  /** veth, bridge, bond, ...; undefined for others. */
  readonly kind: string | undefined;
  readonly kindData: Attributes | undefined;
  readonly slaveData: Attributes | undefined;
  /** Programs that are attached: XDP_ATTACHED_... and the id of the program. */
  readonly xdp: { readonly attached: number; readonly programId: number };
  readonly counters: InterfaceCounters;
}

/** The fixed header: which interface, and the flags to set (IFF_UP or none) if any. */
export function linkHeader(writer: WireWriter, index: number, up?: boolean): WireWriter {
  return writer
    .u8(AF_UNSPEC)
    .u8(0)
    .u16(0)
    .s32(index)
    .u32(up === true ? IFF_UP : 0)
    .u32(up === undefined ? 0 : IFF_UP);
}

function describe(writer: WireWriter, link: NewLink): WireWriter {
  writer.text(IFLA.ifname, link.name);
  const { mac, mtu, queues, netnsFd } = link;
  if (mac !== undefined) writer.attribute(IFLA.address, (value) => value.raw(parseMac(mac)));
  if (mtu !== undefined) writer.attribute(IFLA.mtu, (value) => value.u32(mtu));
  if (queues !== undefined) {
    writer.attribute(IFLA.numTxQueues, (value) => value.u32(queues));
    writer.attribute(IFLA.numRxQueues, (value) => value.u32(queues));
  }
  if (netnsFd !== undefined) writer.attribute(IFLA.netNsFd, (value) => value.u32(netnsFd));
  return writer;
}

/** A new interface of a kind that has one end. */
export function newLink(link: NewLink, kind: string, data?: (writer: WireWriter) => void): Uint8Array {
  return describe(linkHeader(new WireWriter(), 0), link)
    .nest(IFLA.linkinfo, (info) => {
      info.text(IFLA_INFO.kind, kind);
      if (data !== undefined) info.nest(IFLA_INFO.data, data);
    })
    .bytes();
}

export function newVeth(link: NewLink, peer: NewLink): Uint8Array {
  return newLink(link, 'veth', (data) =>
    data.nest(VETH_INFO_PEER, (end) => describe(linkHeader(end, 0), peer)),
  );
}

/** Changes of an interface that exists. */
export function changeLink(
  index: number,
  change: { readonly up?: boolean; readonly master?: number },
): Uint8Array {
  const writer = linkHeader(new WireWriter(), index, change.up);
  const { master } = change;
  if (master !== undefined) writer.attribute(IFLA.master, (value) => value.u32(master));
  return writer.bytes();
}

/** Attaches a program (or, with -1, detaches it) where the kernel has no links for XDP. */
export function changeXdp(index: number, programFd: number, flags: number): Uint8Array {
  return linkHeader(new WireWriter(), index)
    .nest(IFLA.xdp, (xdp) =>
      xdp
        .attribute(IFLA_XDP.fd, (value) => value.s32(programFd))
        .attribute(IFLA_XDP.flags, (value) => value.u32(flags)),
    )
    .bytes();
}

export function linkByIndex(index: number): Uint8Array {
  return linkHeader(new WireWriter(), index).bytes();
}

export function linkByName(name: string): Uint8Array {
  return linkHeader(new WireWriter(), 0).text(IFLA.ifname, name).bytes();
}

export function readLink(message: WireMessage): LinkState {
  const { body } = message;
  const attributes = new Attributes(body.subarray(IFINFO_BYTES));
  const info = attributes.nested(IFLA.linkinfo);
  const xdp = attributes.nested(IFLA.xdp);
  const mac = attributes.raw(IFLA.address);
  const values = attributes.counters(IFLA.stats64) ?? [];
  return {
    index: readS32(body, 4),
    name: attributes.text(IFLA.ifname) ?? '',
    mac: mac?.length === 6 ? formatMac(mac) : '',
    mtu: attributes.number(IFLA.mtu) ?? 0,
    up: (readS32(body, 8) & IFF_UP) !== 0,
    carrier: attributes.number(IFLA.carrier) === 1,
    master: attributes.number(IFLA.master) ?? 0,
    kind: info?.text(IFLA_INFO.kind),
    kindData: info?.nested(IFLA_INFO.data),
    slaveData: info?.nested(IFLA_INFO.slaveData),
    xdp: {
      attached: xdp?.number(IFLA_XDP.attached) ?? 0,
      programId: xdp?.number(IFLA_XDP.progId) ?? 0,
    },
    counters: Object.fromEntries(counterNames.map((name, i) => [name, values[i] ?? 0])) as InterfaceCounters,
  };
}
