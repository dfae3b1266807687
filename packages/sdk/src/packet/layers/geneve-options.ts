/** The options of a Geneve header (RFC 8926, section 3.5). */
import { word } from '../codec.ts';
import { packetInvalid } from '../header.ts';
import { type Entry, entryData, number, optionsType } from '../lists.ts';

/** An option of a Geneve header; `raw` is what is left of a damaged list, or an option with reserved bits set. */
export type GeneveOption =
  | {
      readonly type: 'option';
      readonly class: number;
      /** The type, whose highest bit (0x80) says that the option is critical. */
      readonly code: number;
      /** A multiple of four bytes, up to 124. */
      readonly data: Uint8Array;
    }
  | { readonly type: 'raw'; readonly bytes: Uint8Array };

const LENGTH_BITS = 0x1f;

export const geneveOptionsType = optionsType({
  types: ['option'],
  read(bytes, from, to) {
    if (from + 4 > to) return undefined;
    const last = bytes[from + 3]!;
    const end = from + 4 + (last & LENGTH_BITS) * 4;
    if (end > to) return undefined;
    const entry: Entry =
      last > LENGTH_BITS
        ? { type: 'raw', bytes: bytes.subarray(from, end) }
        : {
            type: 'option',
            class: word(bytes, from),
            code: bytes[from + 2]!,
            data: bytes.subarray(from + 4, end),
          };
    return { entry, end };
  },
  write(given, where) {
    const entry = given as GeneveOption & Entry;
    if (entry.type !== 'option') return undefined;
    const data = entryData(entry.data, where);
    const { length } = data;
    if (length % 4 !== 0 || length > 124)
      throw packetInvalid(`${where}.data: ${length} bytes, but it must be a multiple of 4 up to 124`);
    return [
      ...number(entry.class, 2, `${where}.class`),
      ...number(entry.code, 1, `${where}.code`),
      length / 4,
      ...data,
    ];
  },
  pad: () => [],
});
