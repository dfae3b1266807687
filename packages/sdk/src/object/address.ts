/** Addresses as text, where a BTF type has room for exactly one: IPv4 in 4 bytes, MAC in 6, IPv6 in 16. */
import { XdpError } from '../errors.ts';
import { parseIpv4, parseIpv6, parseMac } from '../packet/index.ts';
import type { ResolvedType } from './codec.ts';

/** The bytes of an address in network order, or undefined where the type is none that an address is kept in. */
export function encodeAddress(
  text: string,
  size: number,
  resolved: ResolvedType,
  path: string,
): Uint8Array | undefined {
  if (!holdsAddress(size, resolved)) return undefined;
  const [what, parse] =
    size === 4
      ? (['an IPv4 address', parseIpv4] as const)
      : size === 6
        ? (['a MAC address', parseMac] as const)
        : (['an IPv6 address', parseIpv6] as const);
  try {
    return parse(text);
  } catch (cause) {
    throw new XdpError('XDP_VALUE_INVALID', `${path}: expected ${what}, got ${JSON.stringify(text)}`, {
      cause,
    });
  }
}

/** Whether a type is one that an address is kept in. */
export function holdsAddress(size: number, { type, typedefs }: ResolvedType): boolean {
  if (size === 4) return typedefs.includes('__be32') || (type.kind === 'struct' && type.name === 'in_addr');
  if (size === 16) return type.kind === 'array' || (type.kind === 'struct' && type.name === 'in6_addr');
  return size === 6 && type.kind === 'array';
}
