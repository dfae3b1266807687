/** TCP (RFC 9293). */
import { type Codec, lengthAuto, long, word } from '../codec.ts';
import { bitsType, hex, packetInvalid, table, uint } from '../header.ts';
import { type TcpOption, tcpOptionsType } from './tcp-options.ts';

/** The flags of a TCP header as bits. */
export const tcpFlags = Object.freeze({
  FIN: 0x01,
  SYN: 0x02,
  RST: 0x04,
  PSH: 0x08,
  ACK: 0x10,
  URG: 0x20,
  ECE: 0x40,
  CWR: 0x80,
});

/** The name of a TCP flag. */
export type TcpFlag = keyof typeof tcpFlags;

/** A TCP header. */
export interface Tcp {
  readonly kind: 'tcp';
  readonly sport: number;
  readonly dport: number;
  readonly seq: number;
  readonly ack: number;
  /** The header's length in words of four bytes; computed unless given. */
  readonly dataOffset: number;
  readonly reserved: number;
  /** The bits of `tcpFlags`; when building, an array of names will do. */
  readonly flags: number;
  readonly window: number;
  /** Computed unless given. */
  readonly checksum: number;
  readonly urgent: number;
  readonly options: readonly TcpOption[];
}

const form = table<Tcp>(
  [
    uint('sport', 16),
    uint('dport', 16),
    uint('seq', 32),
    uint('ack', 32),
    uint('dataOffset', 4),
    uint('reserved', 4),
    { name: 'flags', width: 8, type: bitsType(tcpFlags) },
    uint('window', 16),
    hex('checksum', 16),
    uint('urgent', 16),
  ],
  [{ name: 'options', type: tcpOptionsType }],
);

export const tcpCodec: Codec = {
  kind: 'tcp',
  title: 'TCP',
  tables: [form],
  tableOf: () => form,
  defaults: { sport: 1234, dport: 80, flags: tcpFlags.SYN, window: 65_535 },
  auto: {
    dataOffset: lengthAuto((_total, header) => {
      if (header > 60) throw packetInvalid(`tcp.options: ${header - 20} bytes, but there is room for 40`);
      return header / 4;
    }),
  },
  lengths: ['dataOffset'],
  checksum: { field: 'checksum', algorithm: 'internet', covers: 'all', pseudoProtocol: 6 },
  read: (bytes, at, header): Tcp => ({
    kind: 'tcp',
    sport: word(bytes, at),
    dport: word(bytes, at + 2),
    seq: long(bytes, at + 4),
    ack: long(bytes, at + 8),
    dataOffset: bytes[at + 12]! >> 4,
    reserved: bytes[at + 12]! & 15,
    flags: bytes[at + 13]!,
    window: word(bytes, at + 14),
    checksum: word(bytes, at + 16),
    urgent: word(bytes, at + 18),
    options: tcpOptionsType.read(bytes, at + 20, at + header) as readonly TcpOption[],
  }),
  scan(scan) {
    const { bytes, offset, available } = scan;
    // An ICMP error must quote eight bytes only (RFC 792): the ports and the sequence number.
    if (scan.quoted && available >= 8 && available < 20) return scan.instead('tcpStub');
    if (available < 20) return scan.refuse(`${available} bytes, but a TCP header has at least 20`);
    const header = (bytes[offset + 12]! >> 4) * 4;
    if (header < 20) return scan.refuse(`TCP header length of ${header} bytes, less than 20`);
    if (header > available) return scan.refuse(`TCP header of ${header} bytes, but ${available} are there`);
    return scan.accept(form, header);
  },
};
