/** GRE (RFC 2784) with key and sequence number (RFC 2890). */
import { type Codec, word } from '../codec.ts';
import { type FieldSpec, hex, type Table, table, uint, type Values } from '../header.ts';
import { etherTypeAuto, kindOfEtherType } from '../protocols.ts';

/** A GRE header. `checksum` (with `reserved`), `key` and `seq` are there if they are given: `'auto'` for the checksum. */
export interface Gre {
  readonly kind: 'gre';
  /** The first 13 bits: C is 0x1000, K 0x400, S 0x200. Computed from the fields that are there unless given. */
  readonly flags: number;
  readonly version: number;
  /** An ethertype; computed from the next layer unless given. */
  readonly protocol: number;
  readonly checksum?: number;
  readonly reserved?: number;
  readonly key?: number;
  readonly seq?: number;
}

/** The bits in the 16-bit word of flags and version. */
const CHECKSUM = 0x8000;
const ROUTING = 0x4000;
const KEY = 0x2000;
const SEQUENCE = 0x1000;
const VERSION = 0x0007;

const common: readonly FieldSpec<'flags' | 'version' | 'protocol'>[] = [
  hex('flags', 13),
  uint('version', 3),
  hex('protocol', 16),
];

function form(bits: number): Table {
  return table<Gre>([
    ...common,
    ...(bits & CHECKSUM ? [hex('checksum', 16), hex('reserved', 16)] : []),
    ...(bits & KEY ? [uint('key', 32)] : []),
    ...(bits & SEQUENCE ? [uint('seq', 32)] : []),
  ]);
}

const forms = new Map<number, Table>();
for (const c of [0, CHECKSUM])
  for (const k of [0, KEY]) for (const s of [0, SEQUENCE]) forms.set(c | k | s, form(c | k | s));

export const greCodec: Codec = {
  kind: 'gre',
  title: 'GRE',
  // The fullest form first: field names in their order.
  tables: [...forms.values()].reverse(),
  tableOf: (layer) => forms.get(presence(layer))!,
  defaults: {},
  auto: {
    // The version has its own field: the flags are the 13 bits above it.
    flags: (_frame, _index, layer) => presence(layer) >> 3,
    protocol: etherTypeAuto,
  },
  checksum: { field: 'checksum', algorithm: 'internet', covers: 'all' },
  scan(scan) {
    if (scan.available < 4) return scan.refuse(`${scan.available} bytes, but a GRE header has at least 4`);
    const bits = word(scan.bytes, scan.offset);
    if ((bits & VERSION) !== 0) return scan.refuse(`GRE version ${bits & VERSION} is not dissected`);
    // RFC 2784, section 2.3: a packet with it must be dropped unless RFC 1701 is implemented.
    if ((bits & ROUTING) !== 0) return scan.refuse('GRE with source routing is not dissected');
    const header = forms.get(bits & (CHECKSUM | KEY | SEQUENCE))!;
    if (header.length > scan.available)
      return scan.refuse(`GRE header of ${header.length} bytes, but ${scan.available} are there`);
    scan.accept(header, header.length);
    const protocol = word(scan.bytes, scan.offset + 2);
    return scan.next(kindOfEtherType(protocol), 'ethertype', protocol);
  },
};

function presence(layer: Values): number {
  return (
    (layer.checksum === undefined ? 0 : CHECKSUM) |
    (layer.key === undefined ? 0 : KEY) |
    (layer.seq === undefined ? 0 : SEQUENCE)
  );
}
