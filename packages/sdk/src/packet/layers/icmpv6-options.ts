/** The options of neighbour discovery messages (RFC 4861, section 4.6). */
import { formatIpv6, formatMac, parseIpv6, parseMac } from '../addresses.ts';
import { long, word } from '../codec.ts';
import { packetInvalid } from '../header.ts';
import { type Entry, entryData, number, optionsType } from '../lists.ts';

/** An option of a neighbour discovery message. `other` is any that is not decoded; `raw` is a damaged rest. */
export type NdOption =
  | { readonly type: 'sourceMac' | 'targetMac'; readonly mac: string }
  | { readonly type: 'mtu'; readonly mtu: number }
  | {
      readonly type: 'prefix';
      readonly prefix: string;
      readonly length: number;
      /** L (on link) is 0x80, A (autonomous configuration) 0x40. */
      readonly flags: number;
      readonly validLifetime: number;
      readonly preferredLifetime: number;
    }
  /** The data and the two bytes before it must come to a multiple of eight bytes. */
  | { readonly type: 'other'; readonly code: number; readonly data: Uint8Array }
  | { readonly type: 'raw'; readonly bytes: Uint8Array };

const SOURCE_MAC = 1;
const TARGET_MAC = 2;
const PREFIX = 3;
const MTU = 5;

export const ndOptionsType = optionsType({
  types: ['sourceMac', 'targetMac', 'mtu', 'prefix', 'other'],
  read(bytes, from, to) {
    // Length 0 is an error (RFC 4861, 4.6), and would never end.
    const length = from + 1 < to ? bytes[from + 1]! * 8 : 0;
    const end = from + length;
    if (length === 0 || end > to) return undefined;
    const entry = known(bytes, from, bytes[from]!, length);
    return {
      entry: entry ?? { type: 'other', code: bytes[from]!, data: bytes.subarray(from + 2, end) },
      end,
    };
  },
  write(given, where) {
    const entry = given as NdOption & Entry;
    switch (entry.type) {
      case 'sourceMac':
        return [SOURCE_MAC, 1, ...parseMac(entry.mac)];
      case 'targetMac':
        return [TARGET_MAC, 1, ...parseMac(entry.mac)];
      case 'mtu':
        return [MTU, 1, 0, 0, ...number(entry.mtu, 4, `${where}.mtu`)];
      case 'prefix':
        return [
          PREFIX,
          4,
          ...number(entry.length, 1, `${where}.length`),
          ...number(entry.flags, 1, `${where}.flags`),
          ...number(entry.validLifetime, 4, `${where}.validLifetime`),
          ...number(entry.preferredLifetime, 4, `${where}.preferredLifetime`),
          ...[0, 0, 0, 0],
          ...parseIpv6(entry.prefix),
        ];
      case 'other': {
        const data = entryData(entry.data, where);
        const size = data.length + 2;
        if (size % 8 !== 0) throw packetInvalid(`${where}.data: ${size - 2} bytes, but it must be 8n - 2`);
        return [
          ...number(entry.code, 1, `${where}.code`),
          ...number(size / 8, 1, `${where} length`),
          ...data,
        ];
      }
      default:
        return undefined;
    }
  },
  pad: () => [],
});

/** An option of the length that its standard gives and with nothing in its reserved bytes. */
function known(bytes: Uint8Array, from: number, code: number, length: number): Entry | undefined {
  if ((code === SOURCE_MAC || code === TARGET_MAC) && length === 8)
    return { type: code === SOURCE_MAC ? 'sourceMac' : 'targetMac', mac: formatMac(bytes, from + 2) };
  if (code === MTU && length === 8 && word(bytes, from + 2) === 0)
    return { type: 'mtu', mtu: long(bytes, from + 4) };
  if (code === PREFIX && length === 32 && long(bytes, from + 12) === 0)
    return {
      type: 'prefix',
      prefix: formatIpv6(bytes, from + 16),
      length: bytes[from + 2]!,
      flags: bytes[from + 3]!,
      validLifetime: long(bytes, from + 4),
      preferredLifetime: long(bytes, from + 8),
    };
  return undefined;
}
