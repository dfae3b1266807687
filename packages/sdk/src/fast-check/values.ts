/** Arbitrary addresses. They shrink towards the first one of their prefix. */
import fc from 'fast-check';
import { invalidArgument } from '../errors.ts';
import { formatIpv4, formatIpv6, formatMac, parseIpv4, parseIpv6 } from '../packet/index.ts';

/** A MAC address: unicast and locally administered, as test addresses should be. */
export function macAddress(): fc.Arbitrary<string> {
  return words(3, 16).map((bytes) => formatMac(bytes.with(0, (bytes[0]! & 0xfc) | 0x02)));
}

/** An IPv4 address, of a prefix if one is given. */
export function ipv4Address(prefix = '0.0.0.0/0'): fc.Arbitrary<string> {
  const within = maskOf(prefix, parseIpv4, 32);
  return words(1, 32).map((bytes) => formatIpv4(within(bytes)));
}

/** An IPv6 address, of a prefix if one is given. */
export function ipv6Address(prefix = '::/0'): fc.Arbitrary<string> {
  const within = maskOf(prefix, parseIpv6, 128);
  return words(4, 32).map((bytes) => formatIpv6(within(bytes)));
}

/** The ports that lead to a tunnel: anything else there would not be a valid packet. */
const TUNNEL_PORTS: ReadonlySet<number> = new Set([6080, 4789, 6081]);

/** A port that is not the one of a tunnel. */
export function plainPort(): fc.Arbitrary<number> {
  return fc.integer({ min: 0, max: 0xffff }).filter((port) => !TUNNEL_PORTS.has(port));
}

/** A whole number of so many bits. */
export function bits(width: number): fc.Arbitrary<number> {
  return fc.integer({ min: 0, max: 2 ** width - 1 });
}

/** Bytes made of a few numbers: many times faster than a number for each byte. */
function words(count: number, width: number): fc.Arbitrary<Uint8Array> {
  const size = width / 8;
  return fc
    .tuple(...Array.from({ length: count }, () => bits(width)))
    .map((values) =>
      Uint8Array.from(
        { length: count * size },
        (_, i) => values[Math.floor(i / size)]! >>> (width - 8 - (i % size) * 8),
      ),
    );
}

function maskOf(
  prefix: string,
  parse: (text: string) => Uint8Array,
  width: number,
): (address: Uint8Array) => Uint8Array {
  const [address, length] = typeof prefix === 'string' ? prefix.split('/') : [];
  const size = Number(length);
  if (address === undefined || length === undefined || !Number.isInteger(size) || size < 0 || size > width) {
    throw invalidArgument(
      `${JSON.stringify(prefix)} is not a prefix such as ${width === 32 ? '10.0.0.0/8' : '2001:db8::/32'}`,
    );
  }
  const fixed = parse(address);
  return (free) =>
    free.map((byte, i) => {
      const mask = (0xff00 >> Math.min(8, Math.max(0, size - i * 8))) & 0xff;
      return (fixed[i]! & mask) | (byte & ~mask);
    });
}
