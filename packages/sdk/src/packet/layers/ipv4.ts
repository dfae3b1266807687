/** IPv4 (RFC 791), with DSCP and ECN in the place of the type of service (RFC 2474, RFC 3168). */
import { formatIpv4 } from '../addresses.ts';
import { type Codec, lengthAuto, word } from '../codec.ts';
import { flag, hex, ip4, packetInvalid, table, uint } from '../header.ts';
import { kindInIpv4, protocolAuto } from '../protocols.ts';
import { type Ipv4Option, ipv4OptionsType } from './ipv4-options.ts';

/** An IPv4 header. */
export interface Ipv4 {
  readonly kind: 'ipv4';
  readonly version: number;
  /** The header's length in words of four bytes; computed unless given. */
  readonly ihl: number;
  readonly dscp: number;
  readonly ecn: number;
  /** The length of header and payload in bytes; computed unless given. */
  readonly totalLength: number;
  readonly id: number;
  /** The reserved bit of the flags. */
  readonly reserved: boolean;
  /** Don't fragment. */
  readonly df: boolean;
  /** More fragments. */
  readonly mf: boolean;
  /** In units of eight bytes, as in the header. */
  readonly fragmentOffset: number;
  readonly ttl: number;
  /** Computed from the next layer unless given. */
  readonly protocol: number;
  /** Computed unless given. */
  readonly checksum: number;
  readonly src: string;
  readonly dst: string;
  readonly options: readonly Ipv4Option[];
}

const form = table<Ipv4>(
  [
    uint('version', 4),
    uint('ihl', 4),
    uint('dscp', 6),
    uint('ecn', 2),
    uint('totalLength', 16),
    uint('id', 16),
    flag('reserved'),
    flag('df'),
    flag('mf'),
    uint('fragmentOffset', 13),
    uint('ttl', 8),
    uint('protocol', 8),
    hex('checksum', 16),
    ip4('src'),
    ip4('dst'),
  ],
  [{ name: 'options', type: ipv4OptionsType }],
);

export const ipv4Codec: Codec = {
  kind: 'ipv4',
  title: 'IPv4',
  tables: [form],
  tableOf: () => form,
  defaults: { version: 4, ttl: 64, src: '10.0.0.1', dst: '10.0.0.2' },
  auto: {
    ihl: lengthAuto((_total, header) => {
      if (header > 60) throw packetInvalid(`ipv4.options: ${header - 20} bytes, but there is room for 40`);
      return header / 4;
    }),
    totalLength: lengthAuto((total) => {
      if (total > 65_535) throw packetInvalid(`an IPv4 packet has at most 65535 bytes, this one ${total}`);
      return total;
    }),
    protocol: protocolAuto,
  },
  lengths: ['ihl', 'totalLength'],
  checksum: { field: 'checksum', algorithm: 'internet', covers: 'header' },
  read: (bytes, at, header): Ipv4 => ({
    kind: 'ipv4',
    version: bytes[at]! >> 4,
    ihl: bytes[at]! & 15,
    dscp: bytes[at + 1]! >> 2,
    ecn: bytes[at + 1]! & 3,
    totalLength: word(bytes, at + 2),
    id: word(bytes, at + 4),
    reserved: (bytes[at + 6]! & 0x80) !== 0,
    df: (bytes[at + 6]! & 0x40) !== 0,
    mf: (bytes[at + 6]! & 0x20) !== 0,
    fragmentOffset: word(bytes, at + 6) & 0x1fff,
    ttl: bytes[at + 8]!,
    protocol: bytes[at + 9]!,
    checksum: word(bytes, at + 10),
    src: formatIpv4(bytes, at + 12),
    dst: formatIpv4(bytes, at + 16),
    options: ipv4OptionsType.read(bytes, at + 20, at + header) as readonly Ipv4Option[],
  }),
  scan(scan) {
    const { bytes, offset, available } = scan;
    if (available < 20) return scan.refuse(`${available} bytes, but an IPv4 header has at least 20`);
    const first = bytes[offset]!;
    if (first >> 4 !== 4) return scan.refuse(`IP version ${first >> 4} where IPv4 was expected`);
    const header = (first & 15) * 4;
    if (header < 20) return scan.refuse(`IPv4 header length of ${header} bytes, less than 20`);
    if (header > available) return scan.refuse(`IPv4 header of ${header} bytes, but ${available} are there`);
    scan.accept(form, header);
    const total = word(bytes, offset + 2);
    if (total < header) return scan.rawNext(`IPv4 total length ${total} is less than the header's ${header}`);
    scan.endAt(offset + total);
    const fragment = word(bytes, offset + 6) & 0x1fff;
    if (fragment > 0) return scan.rawNext(`IPv4 fragment at offset ${fragment * 8}`);
    const protocol = bytes[offset + 9]!;
    return scan.next(kindInIpv4(protocol), 'IP protocol', protocol);
  },
};
