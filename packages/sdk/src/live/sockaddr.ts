/** Addresses of sockets in the bytes that the kernel takes: struct sockaddr_in, sockaddr_in6, sockaddr_ll. */

import { parseIp } from './netlink/addresses.ts';
import { AF_INET6, AF_PACKET } from './netlink/constants.ts';
import { WireWriter } from './netlink/wire.ts';

/** An IP address and a port. */
export function inetAddress(
  host: string,
  port: number,
): { readonly family: number; readonly bytes: Uint8Array } {
  const { family, bytes } = parseIp(host);
  const writer = new WireWriter().u16(family).be16(port);
  if (family === AF_INET6) writer.u32(0).raw(bytes).u32(0);
  else writer.raw(bytes).zeros(8);
  return { family, bytes: writer.bytes() };
}

/** All frames of an interface, or with protocol 0 none: for sending only. */
export function packetAddress(ifindex: number, protocol: number): Uint8Array {
  return new WireWriter().u16(AF_PACKET).be16(protocol).s32(ifindex).zeros(12).bytes();
}
