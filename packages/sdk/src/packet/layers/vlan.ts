/** A VLAN tag: 802.1Q, and with two of them 802.1ad (QinQ). */
import { type Codec, word } from '../codec.ts';
import { flag, hex, table, uint } from '../header.ts';
import { etherTypeAuto, kindOfEtherType } from '../protocols.ts';

/** A VLAN tag with the ethertype behind it. */
export interface Vlan {
  readonly kind: 'vlan';
  /** Priority. */
  readonly pcp: number;
  /** Drop eligible. */
  readonly dei: boolean;
  readonly vid: number;
  /** Computed from the next layer unless given. */
  readonly type: number;
}

const form = table<Vlan>([uint('pcp', 3), flag('dei'), uint('vid', 12), hex('type', 16)]);

export const vlanCodec: Codec = {
  kind: 'vlan',
  title: '802.1Q VLAN',
  tables: [form],
  tableOf: () => form,
  defaults: { vid: 1 },
  auto: { type: etherTypeAuto },
  read: (bytes, at): Vlan => ({
    kind: 'vlan',
    pcp: bytes[at]! >> 5,
    dei: (bytes[at]! & 0x10) !== 0,
    vid: word(bytes, at) & 0xfff,
    type: word(bytes, at + 2),
  }),
  scan(scan) {
    if (scan.available < 4) return scan.refuse(`${scan.available} bytes, but a VLAN tag has 4`);
    scan.accept(form, 4);
    const type = word(scan.bytes, scan.offset + 2);
    if (type < 1536) return scan.rawNext(`802.3 frame of length ${type}: LLC is not dissected`);
    return scan.next(kindOfEtherType(type), 'ethertype', type);
  },
};
