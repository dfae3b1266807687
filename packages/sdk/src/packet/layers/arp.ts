/** ARP for IPv4 over Ethernet (RFC 826). */
import { type Codec, word } from '../codec.ts';
import { hex, ip4, mac, table, uint } from '../header.ts';

/** An ARP message. */
export interface Arp {
  readonly kind: 'arp';
  readonly hardwareType: number;
  readonly protocolType: number;
  readonly hardwareLength: number;
  readonly protocolLength: number;
  /** 1 is a request, 2 a reply. */
  readonly op: number;
  readonly senderMac: string;
  readonly senderIp: string;
  readonly targetMac: string;
  readonly targetIp: string;
}

const form = table<Arp>([
  uint('hardwareType', 16),
  hex('protocolType', 16),
  uint('hardwareLength', 8),
  uint('protocolLength', 8),
  uint('op', 16),
  mac('senderMac'),
  ip4('senderIp'),
  mac('targetMac'),
  ip4('targetIp'),
]);

export const arpCodec: Codec = {
  kind: 'arp',
  title: 'ARP',
  tables: [form],
  tableOf: () => form,
  defaults: {
    hardwareType: 1,
    protocolType: 0x0800,
    hardwareLength: 6,
    protocolLength: 4,
    op: 1,
    senderMac: '02:00:00:00:00:01',
    senderIp: '10.0.0.1',
    targetIp: '10.0.0.2',
  },
  auto: {},
  scan(scan) {
    if (scan.available < 28) return scan.refuse(`${scan.available} bytes, but an ARP message has 28`);
    const { bytes, offset } = scan;
    const isIpv4OverEthernet =
      word(bytes, offset) === 1 && word(bytes, offset + 2) === 0x0800 && word(bytes, offset + 4) === 0x0604;
    if (!isIpv4OverEthernet) return scan.refuse('ARP of other addresses than IPv4 over Ethernet');
    scan.accept(form, 28);
    // What follows is padding to the Ethernet minimum.
    return scan.endAt(offset + 28);
  },
};
