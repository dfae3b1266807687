/** The options of IPv6 hop-by-hop and destination headers (RFC 8200, section 4.2). */
import { long, word } from '../codec.ts';
import { packetInvalid } from '../header.ts';
import { type Entry, entryData, number, optionsType } from '../lists.ts';

/** An option of an extension header. `other` is any that is not decoded; `raw` is what is left of a damaged list. */
export type Ipv6Option =
  | { readonly type: 'pad1' }
  /** `size` counts the whole option: 2 to 257 bytes. */
  | { readonly type: 'padN'; readonly size: number }
  | { readonly type: 'routerAlert'; readonly value: number }
  | { readonly type: 'jumbo'; readonly length: number }
  | { readonly type: 'other'; readonly code: number; readonly data: Uint8Array }
  | { readonly type: 'raw'; readonly bytes: Uint8Array };

const PAD1 = 0;
const PADN = 1;
const ROUTER_ALERT = 0x05;
const JUMBO = 0xc2;

export const ipv6OptionsType = optionsType({
  types: ['pad1', 'padN', 'routerAlert', 'jumbo', 'other'],
  read(bytes, from, to) {
    const code = bytes[from]!;
    if (code === PAD1) return { entry: { type: 'pad1' }, end: from + 1 };
    if (from + 1 >= to) return undefined;
    const length = bytes[from + 1]!;
    const end = from + 2 + length;
    if (end > to) return undefined;
    return {
      entry: known(bytes, from, end) ?? { type: 'other', code, data: bytes.subarray(from + 2, end) },
      end,
    };
  },
  write(given, where) {
    const entry = given as Ipv6Option & Entry;
    switch (entry.type) {
      case 'pad1':
        return [PAD1];
      case 'padN':
        if (!Number.isInteger(entry.size) || entry.size < 2 || entry.size > 257)
          throw packetInvalid(`${where}.size must be a whole number from 2 to 257`);
        return [PADN, entry.size - 2, ...new Array<number>(entry.size - 2).fill(0)];
      case 'routerAlert':
        return [ROUTER_ALERT, 2, ...number(entry.value, 2, `${where}.value`)];
      case 'jumbo':
        return [JUMBO, 4, ...number(entry.length, 4, `${where}.length`)];
      case 'other': {
        const data = entryData(entry.data, where);
        return [
          ...number(entry.code, 1, `${where}.code`),
          ...number(data.length, 1, `${where} length`),
          ...data,
        ];
      }
      default:
        return undefined;
    }
  },
  // The list begins two bytes into a header whose length is a multiple of eight.
  pad(size) {
    const missing = -(size + 2) & 7;
    if (missing === 0) return [];
    return [missing === 1 ? { type: 'pad1' } : { type: 'padN', size: missing }];
  },
});

function known(bytes: Uint8Array, from: number, end: number): Entry | undefined {
  const code = bytes[from]!;
  const size = end - from;
  if (code === PADN && bytes.subarray(from + 2, end).every((byte) => byte === 0))
    return { type: 'padN', size };
  if (code === ROUTER_ALERT && size === 4) return { type: 'routerAlert', value: word(bytes, from + 2) };
  if (code === JUMBO && size === 6) return { type: 'jumbo', length: long(bytes, from + 2) };
  return undefined;
}
