/** The IPv6 fragment header (RFC 8200, section 4.5). */
import { type Codec, word } from '../codec.ts';
import { flag, table, uint } from '../header.ts';
import { protocolAuto } from '../protocols.ts';
import { nextInIpv6 } from './ipv6-extensions.ts';

/** A fragment header. */
export interface Fragment {
  readonly kind: 'fragment';
  /** Computed from the next layer unless given. */
  readonly nextHeader: number;
  readonly reserved: number;
  /** In units of eight bytes, as in the header. */
  readonly fragmentOffset: number;
  readonly reserved2: number;
  /** More fragments. */
  readonly mf: boolean;
  readonly id: number;
}

const form = table<Fragment>([
  uint('nextHeader', 8),
  uint('reserved', 8),
  uint('fragmentOffset', 13),
  uint('reserved2', 2),
  flag('mf'),
  uint('id', 32),
]);

export const fragmentCodec: Codec = {
  kind: 'fragment',
  title: 'IPv6 fragment',
  tables: [form],
  tableOf: () => form,
  defaults: {},
  auto: { nextHeader: protocolAuto },
  scan(scan) {
    if (scan.available < 8) return scan.refuse(`${scan.available} bytes, but an IPv6 fragment header has 8`);
    scan.accept(form, 8);
    const fragmentOffset = word(scan.bytes, scan.offset + 2) >> 3;
    if (fragmentOffset > 0) return scan.rawNext(`IPv6 fragment at offset ${fragmentOffset * 8}`);
    return nextInIpv6(scan, scan.bytes[scan.offset]!);
  },
};
