/** Requests about addresses, neighbours and routes: RTM_NEWADDR, RTM_NEWNEIGH, RTM_NEWROUTE. */
import { parseIpv4, parseIpv6, parseMac } from '../../packet/index.ts';
import {
  AF_INET,
  AF_INET6,
  IFA,
  IFA_F_NODAD,
  NDA,
  NUD_PERMANENT,
  RT_SCOPE_LINK,
  RT_SCOPE_UNIVERSE,
  RT_TABLE_MAIN,
  RTA,
  RTN_UNICAST,
  RTPROT_STATIC,
} from './constants.ts';
import { WireWriter } from './wire.ts';

/** An IP address as the kernel takes it. */
export interface IpAddress {
  readonly family: typeof AF_INET | typeof AF_INET6;
  readonly bytes: Uint8Array;
}

export function parseIp(text: string): IpAddress {
  return text.includes(':')
    ? { family: AF_INET6, bytes: parseIpv6(text) }
    : { family: AF_INET, bytes: parseIpv4(text) };
}

export function newAddress(index: number, address: IpAddress, prefixLength: number): Uint8Array {
  // Without detection of duplicates an IPv6 address works at once; nobody else is in a private namespace.
  const flags = address.family === AF_INET6 ? IFA_F_NODAD : 0;
  return new WireWriter()
    .u8(address.family)
    .u8(prefixLength)
    .u8(flags)
    .u8(RT_SCOPE_UNIVERSE)
    .u32(index)
    .attribute(IFA.local, (value) => value.raw(address.bytes))
    .attribute(IFA.address, (value) => value.raw(address.bytes))
    .bytes();
}

export function newNeighbour(index: number, address: IpAddress, mac: string): Uint8Array {
  return new WireWriter()
    .u8(address.family)
    .zeros(3)
    .s32(index)
    .u16(NUD_PERMANENT)
    .u8(0)
    .u8(0)
    .attribute(NDA.dst, (value) => value.raw(address.bytes))
    .attribute(NDA.lladdr, (value) => value.raw(parseMac(mac)))
    .bytes();
}

/** A route to a prefix, over a gateway or, without one, to neighbours of the interface. */
export function newRoute(
  index: number,
  to: IpAddress,
  prefixLength: number,
  via: IpAddress | undefined,
): Uint8Array {
  const writer = new WireWriter()
    .u8(to.family)
    .u8(prefixLength)
    .u8(0)
    .u8(0)
    .u8(RT_TABLE_MAIN)
    .u8(RTPROT_STATIC)
    .u8(via === undefined ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE)
    .u8(RTN_UNICAST)
    .u32(0);
  if (prefixLength > 0) writer.attribute(RTA.dst, (value) => value.raw(to.bytes));
  writer.attribute(RTA.oif, (value) => value.u32(index));
  if (via !== undefined) writer.attribute(RTA.gateway, (value) => value.raw(via.bytes));
  return writer.bytes();
}
