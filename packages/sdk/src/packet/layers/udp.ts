/** UDP (RFC 768). */
import { type Codec, lengthAuto, word } from '../codec.ts';
import { hex, packetInvalid, table, uint } from '../header.ts';
import { portAuto } from '../protocols.ts';

/** A UDP header. */
export interface Udp {
  readonly kind: 'udp';
  readonly sport: number;
  /** Unless given: the port of the tunnel that follows (GUE, VXLAN, Geneve), else 9, "discard". */
  readonly dport: number;
  /** The length of header and payload; computed unless given. */
  readonly length: number;
  /** Computed unless given; 0 says that there is none. */
  readonly checksum: number;
}

const form = table<Udp>([uint('sport', 16), uint('dport', 16), uint('length', 16), hex('checksum', 16)]);

export const udpCodec: Codec = {
  kind: 'udp',
  title: 'UDP',
  tables: [form],
  tableOf: () => form,
  defaults: { sport: 1234 },
  auto: {
    dport: portAuto,
    length: lengthAuto((total) => {
      if (total > 65_535) throw packetInvalid(`a UDP datagram has at most 65535 bytes, this one ${total}`);
      return total;
    }),
  },
  lengths: ['length'],
  checksum: {
    field: 'checksum',
    algorithm: 'internet',
    covers: 'all',
    pseudoProtocol: 17,
    zeroMeansNone: true,
  },
  read: (bytes, at): Udp => ({
    kind: 'udp',
    sport: word(bytes, at),
    dport: word(bytes, at + 2),
    length: word(bytes, at + 4),
    checksum: word(bytes, at + 6),
  }),
  scan(scan) {
    const { bytes, offset, available } = scan;
    if (available < 8) return scan.refuse(`${available} bytes, but a UDP header has 8`);
    scan.accept(form, 8);
    const length = word(bytes, offset + 4);
    if (length < 8) return scan.rawNext(`UDP length ${length} is less than the header's 8`);
    // Bytes beyond the length but within the IP packet are a surplus area (RFC 9868), not payload.
    scan.endAt(offset + length);
    const kind = scan.portKind(word(bytes, offset + 2));
    if (kind === undefined || available === 8) return undefined;
    // GUE's variant 1 has no header: the first nibble is that of IPv4 or IPv6 (draft-ietf-intarea-gue, section 4).
    const nibble = bytes[offset + 8]! >> 4;
    if (kind === 'gue' && nibble >> 2 === 1)
      return scan.next(nibble === 4 ? 'ipv4' : nibble === 6 ? 'ipv6' : undefined, 'GUE IP version', nibble);
    return scan.next(kind, 'UDP port', 0);
  },
};
