/** Generic UDP encapsulation, variant 0 (draft-ietf-intarea-gue). Variant 1 has no header: IP follows UDP. */
import { type Codec, lengthAuto, word } from '../codec.ts';
import { flag, hex, packetInvalid, table, uint } from '../header.ts';
import { bytesType } from '../lists.ts';
import { kindOfProtocol, protocolAuto } from '../protocols.ts';

/** A GUE header. */
export interface Gue {
  readonly kind: 'gue';
  readonly variant: number;
  /** The payload is a control message, whose type is in `protocol`. */
  readonly control: boolean;
  /** The length of `data` in words of four bytes; computed unless given. */
  readonly hlen: number;
  /** An IP protocol number; computed from the next layer unless given. */
  readonly protocol: number;
  readonly flags: number;
  /** Extension fields and private data: a multiple of four bytes. */
  readonly data: Uint8Array;
}

const form = table<Gue>(
  [uint('variant', 2), flag('control'), uint('hlen', 5), uint('protocol', 8), hex('flags', 16)],
  [{ name: 'data', type: bytesType }],
);

export const gueCodec: Codec = {
  kind: 'gue',
  title: 'GUE',
  tables: [form],
  tableOf: () => form,
  defaults: {},
  auto: {
    hlen: lengthAuto((_total, header) => {
      if (header % 4 !== 0 || header > 128)
        throw packetInvalid(`gue.data: ${header - 4} bytes, but it must be a multiple of 4 up to 124`);
      return header / 4 - 1;
    }),
    protocol: protocolAuto,
  },
  lengths: ['hlen'],
  read: (bytes, at, header): Gue => ({
    kind: 'gue',
    variant: bytes[at]! >> 6,
    control: (bytes[at]! & 0x20) !== 0,
    hlen: bytes[at]! & 0x1f,
    protocol: bytes[at + 1]!,
    flags: word(bytes, at + 2),
    data: bytes.subarray(at + 4, at + header),
  }),
  scan(scan) {
    const { bytes, offset, available } = scan;
    if (available < 4) return scan.refuse(`${available} bytes, but a GUE header has at least 4`);
    const first = bytes[offset]!;
    if (first >> 6 !== 0) return scan.refuse(`GUE variant ${first >> 6} has no header`);
    const header = 4 + (first & 0x1f) * 4;
    if (header > available) return scan.refuse(`GUE header of ${header} bytes, but ${available} are there`);
    scan.accept(form, header);
    const protocol = bytes[offset + 1]!;
    if ((first & 0x20) !== 0) return scan.rawNext(`GUE control message of type ${protocol}`);
    return scan.next(kindOfProtocol(protocol), 'IP protocol', protocol);
  },
};
