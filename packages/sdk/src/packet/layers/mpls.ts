/** MPLS (RFC 3032): each entry of the label stack is a layer. */
import { type Codec, nextKind } from '../codec.ts';
import { flag, table, uint } from '../header.ts';

/** An entry of an MPLS label stack. */
export interface Mpls {
  readonly kind: 'mpls';
  readonly label: number;
  /** Traffic class. */
  readonly tc: number;
  /** The bottom of the stack; computed unless given. */
  readonly bottom: boolean;
  readonly ttl: number;
}

const form = table<Mpls>([uint('label', 20), uint('tc', 3), flag('bottom'), uint('ttl', 8)]);

export const mplsCodec: Codec = {
  kind: 'mpls',
  title: 'MPLS',
  tables: [form],
  tableOf: () => form,
  defaults: { label: 16, ttl: 64 },
  auto: { bottom: (frame, index) => nextKind(frame, index) !== 'mpls' },
  scan(scan) {
    const { bytes, offset, available } = scan;
    if (available < 4) return scan.refuse(`${available} bytes, but an MPLS label has 4`);
    scan.accept(form, 4);
    if ((bytes[offset + 2]! & 1) === 0) return scan.next('mpls', 'MPLS', 0);
    // Nothing says what follows the stack; routers look at the first nibble too (RFC 4928, section 2).
    const nibble = available > 4 ? bytes[offset + 4]! >> 4 : 0;
    if (nibble === 4) return scan.next('ipv4', 'MPLS', 0);
    if (nibble === 6) return scan.next('ipv6', 'MPLS', 0);
    return scan.rawNext('MPLS payload that does not look like IP');
  },
};
