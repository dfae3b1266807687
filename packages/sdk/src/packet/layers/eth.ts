/** Ethernet II (IEEE 802.3). */
import { formatMac } from '../addresses.ts';
import { type Codec, word } from '../codec.ts';
import { hex, mac, table } from '../header.ts';
import { etherTypeAuto, kindOfEtherType } from '../protocols.ts';

/** An Ethernet header. */
export interface Eth {
  readonly kind: 'eth';
  readonly dst: string;
  readonly src: string;
  /** Computed from the next layer unless given. */
  readonly type: number;
}

const form = table<Eth>([mac('dst'), mac('src'), hex('type', 16)]);

export const ethCodec: Codec = {
  kind: 'eth',
  title: 'Ethernet',
  tables: [form],
  tableOf: () => form,
  // Locally administered addresses, so that no packet can be taken for that of a real card.
  defaults: { dst: '02:00:00:00:00:02', src: '02:00:00:00:00:01' },
  auto: { type: etherTypeAuto },
  read: (bytes, at): Eth => ({
    kind: 'eth',
    dst: formatMac(bytes, at),
    src: formatMac(bytes, at + 6),
    type: word(bytes, at + 12),
  }),
  scan(scan) {
    if (scan.available < 14) return scan.refuse(`${scan.available} bytes, but an Ethernet header has 14`);
    scan.accept(form, 14);
    const type = word(scan.bytes, scan.offset + 12);
    // Below 1536 it is a length (IEEE 802.3, 3.2.6) and an LLC header follows.
    if (type < 1536) return scan.rawNext(`802.3 frame of length ${type}: LLC is not dissected`);
    return scan.next(kindOfEtherType(type), 'ethertype', type);
  },
};
