/** Addresses as text: parse and print IPv4, IPv6 (RFC 5952) and MAC addresses, and match them against prefixes. */
import { describeValue, XdpError } from '../errors.ts';

const HEX = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'));
const DECIMAL = Array.from({ length: 256 }, (_, i) => String(i));

function invalid(what: string, value: unknown): XdpError {
  return new XdpError('XDP_PACKET_INVALID', `${what}, got ${describeValue(value)}`);
}

/** The MAC address in `bytes` at `offset`, as `aa:bb:cc:dd:ee:ff`. */
export function formatMac(bytes: Uint8Array, offset = 0): string {
  return `${HEX[bytes[offset]!]}:${HEX[bytes[offset + 1]!]}:${HEX[bytes[offset + 2]!]}:${HEX[bytes[offset + 3]!]}:${HEX[bytes[offset + 4]!]}:${HEX[bytes[offset + 5]!]}`;
}

/** The six bytes of a MAC address in hex, pairs separated by `:` or `-`. */
export function parseMac(text: string): Uint8Array {
  const bytes = new Uint8Array(6);
  let valid = typeof text === 'string' && text.length === 17;
  for (let i = 0; i < 6 && valid; i++) {
    const high = hexDigit(text.charCodeAt(3 * i));
    const low = hexDigit(text.charCodeAt(3 * i + 1));
    const separator = text[3 * i + 2];
    valid = high >= 0 && low >= 0 && (i === 5 || separator === ':' || separator === '-');
    bytes[i] = high * 16 + low;
  }
  if (!valid) throw invalid('a MAC address is six pairs of hex digits such as 02:00:00:00:00:01', text);
  return bytes;
}

function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  // ASCII letters differ in this bit only.
  const lower = code | 0x20;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

/** The IPv4 address in `bytes` at `offset`, in dotted decimal. */
export function formatIpv4(bytes: Uint8Array, offset = 0): string {
  return `${DECIMAL[bytes[offset]!]}.${DECIMAL[bytes[offset + 1]!]}.${DECIMAL[bytes[offset + 2]!]}.${DECIMAL[bytes[offset + 3]!]}`;
}

/** The dotted decimal form of a 32-bit number. */
export function numberToIpv4(value: number): string {
  return `${value >>> 24}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`;
}

/** An IPv4 address in dotted decimal as a 32-bit number: `ipv4ToNumber('10.0.0.1')` is 0x0a000001. */
export function ipv4ToNumber(text: string): number {
  const value = tryIpv4(text);
  if (value === undefined) throw invalid('an IPv4 address is four decimal numbers such as 192.0.2.1', text);
  return value;
}

/** Leading zeros are refused: some parsers take them for octal (RFC 6943, section 3.1.1). */
function tryIpv4(text: unknown): number | undefined {
  if (typeof text !== 'string') return undefined;
  const match = /^(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})$/.exec(text);
  if (match === null) return undefined;
  let value = 0;
  for (let i = 1; i <= 4; i++) {
    const part = Number(match[i]);
    if (part > 255) return undefined;
    value = value * 256 + part;
  }
  return value;
}

/** The four bytes of an IPv4 address. */
export function parseIpv4(text: string): Uint8Array {
  const value = ipv4ToNumber(text);
  return Uint8Array.of(value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);
}

/** The IPv6 address in `bytes` at `offset`, in the one form of RFC 5952. */
export function formatIpv6(bytes: Uint8Array, offset = 0): string {
  const groups = new Array<number>(8);
  for (let i = 0; i < 8; i++) groups[i] = bytes[offset + 2 * i]! * 256 + bytes[offset + 2 * i + 1]!;
  // Section 5: the mixed notation for well-known prefixes only; ::ffff:0:0/96 is the one in use.
  if (groups[5] === 0xffff && groups.every((group, i) => i > 4 || group === 0))
    return `::ffff:${formatIpv4(bytes, offset + 12)}`;
  // Section 4.2: the longest run of at least two zero groups is shortened, the first one of equals.
  let start = -1;
  let length = 1;
  for (let i = 0; i < 8; i++) {
    let end = i;
    while (end < 8 && groups[end] === 0) end++;
    if (end - i > length) {
      start = i;
      length = end - i;
    }
    if (end > i) i = end;
  }
  const text = (from: number, to: number) => {
    let out = '';
    for (let i = from; i < to; i++) out += (i > from ? ':' : '') + groups[i]!.toString(16);
    return out;
  };
  return start < 0 ? text(0, 8) : `${text(0, start)}::${text(start + length, 8)}`;
}

/** The sixteen bytes of an IPv6 address in any notation of RFC 4291. */
export function parseIpv6(text: string): Uint8Array {
  const bytes = tryIpv6(text);
  if (bytes === undefined) throw invalid('an IPv6 address is written as in 2001:db8::1', text);
  return bytes;
}

function tryIpv6(text: unknown): Uint8Array | undefined {
  if (typeof text !== 'string' || !/^[0-9a-f:.]{2,45}$/i.test(text)) return undefined;
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = groupsOf(halves[0]!);
  const tail = halves.length === 2 ? groupsOf(halves[1]!) : [];
  if (head === undefined || tail === undefined) return undefined;
  const count = head.length + tail.length;
  // A dotted quad may stand only at the very end.
  if (halves.length === 2 && halves[0]!.includes('.')) return undefined;
  if (halves.length === 1 ? count !== 8 : count > 7) return undefined;
  const groups = [...head, ...new Array<number>(8 - count).fill(0), ...tail];
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 255]));
}

function groupsOf(text: string): number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [i, part] of parts.entries()) {
    if (part.includes('.')) {
      const quad = i === parts.length - 1 ? tryIpv4(part) : undefined;
      if (quad === undefined) return undefined;
      groups.push(quad >>> 16, quad & 0xffff);
    } else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16));
    else return undefined;
  }
  return groups;
}

/** The bytes of an IPv4 or IPv6 address, or undefined if `text` is neither. */
export function tryParseAddress(text: string): Uint8Array | undefined {
  return tryIpv4(text) !== undefined ? parseIpv4(text) : tryIpv6(text);
}

/** Whether `text` is a prefix such as `10.0.0.0/8` or `2001:db8::/32`. */
export function isPrefix(text: string): boolean {
  return splitPrefix(text) !== undefined;
}

/** Whether an address lies in a prefix; the bits of the prefix beyond its length are ignored. */
export function inPrefix(address: string, prefix: string): boolean {
  const parsed = splitPrefix(prefix);
  if (parsed === undefined) throw invalid('a prefix is an address and a length such as 10.0.0.0/8', prefix);
  const bytes = tryParseAddress(address);
  if (bytes === undefined || bytes.length !== parsed.bytes.length) return false;
  for (let i = 0, bits = parsed.bits; bits > 0; i++, bits -= 8) {
    const mask = bits >= 8 ? 0xff : (0xff << (8 - bits)) & 0xff;
    if (((bytes[i]! ^ parsed.bytes[i]!) & mask) !== 0) return false;
  }
  return true;
}

function splitPrefix(text: string): { bytes: Uint8Array; bits: number } | undefined {
  const match = /^([^/]+)\/(\d{1,3})$/.exec(text);
  const bytes = match === null ? undefined : tryParseAddress(match[1]!);
  const bits = match === null ? 0 : Number(match[2]);
  return bytes === undefined || bits > bytes.length * 8 ? undefined : { bytes, bits };
}
