/** Geneve (RFC 8926). */
import { type Codec, lengthAuto, word } from '../codec.ts';
import { flag, hex, packetInvalid, table, uint } from '../header.ts';
import { etherTypeAuto, kindOfEtherType } from '../protocols.ts';
import { type GeneveOption, geneveOptionsType } from './geneve-options.ts';

/** A Geneve header. */
export interface Geneve {
  readonly kind: 'geneve';
  readonly version: number;
  /** The length of the options in words of four bytes; computed unless given. */
  readonly optionsLength: number;
  /** A control packet. */
  readonly control: boolean;
  /** Whether any option is critical; computed unless given. */
  readonly critical: boolean;
  readonly reserved: number;
  /** An ethertype; computed from the next layer unless given. */
  readonly protocol: number;
  /** The network identifier. */
  readonly vni: number;
  readonly reserved2: number;
  readonly options: readonly GeneveOption[];
}

const form = table<Geneve>(
  [
    uint('version', 2),
    uint('optionsLength', 6),
    flag('control'),
    flag('critical'),
    uint('reserved', 6),
    hex('protocol', 16),
    uint('vni', 24),
    hex('reserved2', 8),
  ],
  [{ name: 'options', type: geneveOptionsType }],
);

const FIXED = 8;

export const geneveCodec: Codec = {
  kind: 'geneve',
  title: 'Geneve',
  tables: [form],
  tableOf: () => form,
  defaults: {},
  auto: {
    optionsLength: lengthAuto((_total, header) => {
      if (header % 4 !== 0 || header > 260)
        throw packetInvalid(`geneve.options: ${header - FIXED} bytes, but there is room for 252, by fours`);
      return (header - FIXED) / 4;
    }),
    critical: (_frame, _index, layer) =>
      (layer.options as readonly GeneveOption[]).some(
        (option) => option.type === 'option' && (option.code & 0x80) !== 0,
      ),
    protocol: etherTypeAuto,
  },
  lengths: ['optionsLength'],
  scan(scan) {
    const { bytes, offset, available } = scan;
    if (available < FIXED)
      return scan.refuse(`${available} bytes, but a Geneve header has at least ${FIXED}`);
    const version = bytes[offset]! >> 6;
    if (version !== 0) return scan.refuse(`Geneve version ${version} is not dissected`);
    const header = FIXED + (bytes[offset]! & 0x3f) * 4;
    if (header > available)
      return scan.refuse(`Geneve header of ${header} bytes, but ${available} are there`);
    scan.accept(form, header);
    const protocol = word(bytes, offset + 2);
    return scan.next(kindOfEtherType(protocol), 'ethertype', protocol);
  },
};
