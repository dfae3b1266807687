/** VXLAN (RFC 7348). */
import type { Codec } from '../codec.ts';
import { hex, table, uint } from '../header.ts';

/** A VXLAN header. */
export interface Vxlan {
  readonly kind: 'vxlan';
  /** 0x08 says that the network identifier is valid. */
  readonly flags: number;
  readonly reserved: number;
  /** The network identifier. */
  readonly vni: number;
  readonly reserved2: number;
}

const form = table<Vxlan>([hex('flags', 8), hex('reserved', 24), uint('vni', 24), hex('reserved2', 8)]);

export const vxlanCodec: Codec = {
  kind: 'vxlan',
  title: 'VXLAN',
  tables: [form],
  tableOf: () => form,
  defaults: { flags: 0x08 },
  auto: {},
  scan(scan) {
    if (scan.available < 8) return scan.refuse(`${scan.available} bytes, but a VXLAN header has 8`);
    scan.accept(form, 8);
    return scan.next('eth', 'VXLAN', 0);
  },
};
