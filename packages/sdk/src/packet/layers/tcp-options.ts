/** The options of a TCP header (RFC 9293, RFC 7323, RFC 2018). */
import { long, word } from '../codec.ts';
import { packetInvalid } from '../header.ts';
import { type Entry, entryData, number, optionsType } from '../lists.ts';

/** An option of a TCP header. `other` is any that is not decoded; `raw` is what is left of a damaged list. */
export type TcpOption =
  | { readonly type: 'eol' | 'nop' | 'sackPermitted' }
  | { readonly type: 'mss'; readonly mss: number }
  | { readonly type: 'windowScale'; readonly shift: number }
  | { readonly type: 'sack'; readonly blocks: readonly { readonly left: number; readonly right: number }[] }
  | { readonly type: 'timestamps'; readonly value: number; readonly echo: number }
  | { readonly type: 'other'; readonly code: number; readonly data: Uint8Array }
  | { readonly type: 'raw'; readonly bytes: Uint8Array };

const EOL = 0;
const NOP = 1;
const MSS = 2;
const WINDOW_SCALE = 3;
const SACK_PERMITTED = 4;
const SACK = 5;
const TIMESTAMPS = 8;

export const tcpOptionsType = optionsType({
  types: ['eol', 'nop', 'mss', 'windowScale', 'sackPermitted', 'sack', 'timestamps', 'other'],
  read(bytes, from, to) {
    const code = bytes[from]!;
    if (code === EOL) return { entry: { type: 'eol' }, end: from + 1 };
    if (code === NOP) return { entry: { type: 'nop' }, end: from + 1 };
    const length = from + 1 < to ? bytes[from + 1]! : 0;
    const end = from + length;
    if (length < 2 || end > to) return undefined;
    const entry = known(bytes, from, code, length);
    return { entry: entry ?? { type: 'other', code, data: bytes.subarray(from + 2, end) }, end };
  },
  write(given, where) {
    const entry = given as TcpOption & Entry;
    switch (entry.type) {
      case 'eol':
        return [EOL];
      case 'nop':
        return [NOP];
      case 'mss':
        return [MSS, 4, ...number(entry.mss, 2, `${where}.mss`)];
      case 'windowScale':
        return [WINDOW_SCALE, 3, ...number(entry.shift, 1, `${where}.shift`)];
      case 'sackPermitted':
        return [SACK_PERMITTED, 2];
      case 'sack': {
        if (!Array.isArray(entry.blocks)) throw packetInvalid(`${where}.blocks must be an array`);
        const blocks = entry.blocks.flatMap((block) => [
          ...number(block?.left, 4, `${where} left edge`),
          ...number(block?.right, 4, `${where} right edge`),
        ]);
        return [SACK, ...number(2 + blocks.length, 1, `${where} length`), ...blocks];
      }
      case 'timestamps':
        return [
          TIMESTAMPS,
          10,
          ...number(entry.value, 4, `${where}.value`),
          ...number(entry.echo, 4, `${where}.echo`),
        ];
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

/** An option whose length is the one that its standard gives; with another it must be kept as it is. */
function known(bytes: Uint8Array, from: number, code: number, length: number): Entry | undefined {
  const at = from + 2;
  if (code === MSS && length === 4) return { type: 'mss', mss: word(bytes, at) };
  if (code === WINDOW_SCALE && length === 3) return { type: 'windowScale', shift: bytes[at]! };
  if (code === SACK_PERMITTED && length === 2) return { type: 'sackPermitted' };
  if (code === TIMESTAMPS && length === 10)
    return { type: 'timestamps', value: long(bytes, at), echo: long(bytes, at + 4) };
  if (code !== SACK || length % 8 !== 2) return undefined;
  const blocks: { left: number; right: number }[] = [];
  for (let block = at; block < from + length; block += 8)
    blocks.push(Object.freeze({ left: long(bytes, block), right: long(bytes, block + 4) }));
  return { type: 'sack', blocks };
}
