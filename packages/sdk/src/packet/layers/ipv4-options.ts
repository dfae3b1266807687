/** The options of an IPv4 header (RFC 791, RFC 2113). */
import { formatIpv4, parseIpv4 } from '../addresses.ts';
import { word } from '../codec.ts';
import { addressesType, type Entry, entryData, number, optionsType } from '../lists.ts';

/** An option of an IPv4 header. `other` is any that is not decoded; `raw` is what is left of a damaged list. */
export type Ipv4Option =
  | { readonly type: 'eol' | 'nop' }
  | {
      readonly type: 'recordRoute' | 'looseSourceRoute' | 'strictSourceRoute';
      /** Where the next address goes, counted from 1 at the option's first byte; the first is at 4. */
      readonly pointer: number;
      readonly addresses: readonly string[];
    }
  | { readonly type: 'routerAlert'; readonly value: number }
  | { readonly type: 'other'; readonly code: number; readonly data: Uint8Array }
  | { readonly type: 'raw'; readonly bytes: Uint8Array };

const routes: Readonly<Record<string, number>> = {
  recordRoute: 7,
  looseSourceRoute: 131,
  strictSourceRoute: 137,
};
const routeNames = new Map(Object.entries(routes).map(([name, code]) => [code, name]));
const ROUTER_ALERT = 148;
const addressList = addressesType(4, parseIpv4, formatIpv4);

export const ipv4OptionsType = optionsType({
  types: ['eol', 'nop', ...Object.keys(routes), 'routerAlert', 'other'],
  read(bytes, from, to) {
    const code = bytes[from]!;
    if (code <= 1) return { entry: { type: code === 0 ? 'eol' : 'nop' }, end: from + 1 };
    const length = from + 1 < to ? bytes[from + 1]! : 0;
    const end = from + length;
    if (length < 2 || end > to) return undefined;
    const route = routeNames.get(code);
    if (route !== undefined && length >= 3 && length % 4 === 3) {
      const addresses: string[] = [];
      for (let at = from + 3; at < end; at += 4) addresses.push(formatIpv4(bytes, at));
      return { entry: { type: route, pointer: bytes[from + 2]!, addresses }, end };
    }
    if (code === ROUTER_ALERT && length === 4)
      return { entry: { type: 'routerAlert', value: word(bytes, from + 2) }, end };
    return { entry: { type: 'other', code, data: bytes.subarray(from + 2, end) }, end };
  },
  write(given, where) {
    const entry = given as Ipv4Option & Entry;
    switch (entry.type) {
      case 'eol':
        return [0];
      case 'nop':
        return [1];
      case 'routerAlert':
        return [ROUTER_ALERT, 4, ...number(entry.value, 2, `${where}.value`)];
      case 'recordRoute':
      case 'looseSourceRoute':
      case 'strictSourceRoute': {
        const list = addressList.check(entry.addresses, `${where}.addresses`);
        const addresses = new Uint8Array(addressList.sizeBytes(list));
        addressList.write(addresses, 0, list);
        const pointer = number(entry.pointer, 1, `${where}.pointer`);
        return [
          routes[entry.type]!,
          ...number(3 + addresses.length, 1, `${where} length`),
          ...pointer,
          ...addresses,
        ];
      }
      case 'other': {
        const data = entryData(entry.data, where);
        return [
          ...number(entry.code, 1, `${where}.code`),
          ...number(data.length + 2, 1, `${where} length`),
          ...data,
        ];
      }
      default:
        return undefined;
    }
  },
  pad: (size) => Array.from({ length: -size & 3 }, () => ({ type: 'eol' })),
});
