/** IPv6 (RFC 8200). */
import { formatIpv6 } from '../addresses.ts';
import { type Codec, type Frame, lengthAuto, long, word } from '../codec.ts';
import { hex, ip6, packetInvalid, table, uint } from '../header.ts';
import { protocolAuto } from '../protocols.ts';
import { nextInIpv6 } from './ipv6-extensions.ts';

/** An IPv6 header; extension headers are layers of their own. */
export interface Ipv6 {
  readonly kind: 'ipv6';
  readonly version: number;
  readonly dscp: number;
  readonly ecn: number;
  readonly flowLabel: number;
  /** The length of all that follows the header; computed unless given. */
  readonly payloadLength: number;
  /** Computed from the next layer unless given. */
  readonly nextHeader: number;
  readonly hopLimit: number;
  readonly src: string;
  readonly dst: string;
}

const form = table<Ipv6>([
  uint('version', 4),
  uint('dscp', 6),
  uint('ecn', 2),
  hex('flowLabel', 20),
  uint('payloadLength', 16),
  uint('nextHeader', 8),
  uint('hopLimit', 8),
  ip6('src'),
  ip6('dst'),
]);

const HEADER = 40;
const HOP_BY_HOP = 0;

export const ipv6Codec: Codec = {
  kind: 'ipv6',
  title: 'IPv6',
  tables: [form],
  tableOf: () => form,
  defaults: { version: 6, hopLimit: 64, src: '2001:db8::1', dst: '2001:db8::2' },
  auto: {
    payloadLength: (frame, index, layer) => (isJumbo(frame, index) ? 0 : payloadLength(frame, index, layer)),
    nextHeader: protocolAuto,
  },
  lengths: ['payloadLength'],
  read: (bytes, at): Ipv6 => ({
    kind: 'ipv6',
    version: bytes[at]! >> 4,
    dscp: (word(bytes, at) >> 6) & 0x3f,
    ecn: (bytes[at + 1]! >> 4) & 3,
    flowLabel: long(bytes, at) & 0xfffff,
    payloadLength: word(bytes, at + 4),
    nextHeader: bytes[at + 6]!,
    hopLimit: bytes[at + 7]!,
    src: formatIpv6(bytes, at + 8),
    dst: formatIpv6(bytes, at + 24),
  }),
  scan(scan) {
    const { bytes, offset, available } = scan;
    if (available < HEADER) return scan.refuse(`${available} bytes, but an IPv6 header has ${HEADER}`);
    const version = bytes[offset]! >> 4;
    if (version !== 6) return scan.refuse(`IP version ${version} where IPv6 was expected`);
    scan.accept(form, HEADER);
    const nextHeader = bytes[offset + 6]!;
    const length = word(bytes, offset + 4);
    const start = offset + HEADER;
    const jumbo = length === 0 && nextHeader === HOP_BY_HOP ? jumboLength(bytes, start, scan.end) : undefined;
    scan.endAt(start + (jumbo ?? length));
    return nextInIpv6(scan, nextHeader);
  },
};

const payloadLength = lengthAuto((total, header) => {
  if (total - header > 65_535)
    throw packetInvalid(
      `an IPv6 packet without a jumbo option has at most 65535 bytes after its header, this one ${total - header}`,
    );
  return total - header;
});

/** With a jumbo payload option the length in the header is zero (RFC 2675, section 3). */
function isJumbo(frame: Frame, index: number): boolean {
  const next = frame.spans[index + 1];
  return (
    next?.codec.kind === 'hopopts' &&
    jumboLength(frame.bytes, next.offset, next.offset + next.header) !== undefined
  );
}

/** The length in the jumbo payload option of a hop-by-hop header, if it has one. */
function jumboLength(bytes: Uint8Array, offset: number, end: number): number | undefined {
  if (offset + 8 > end) return undefined;
  const stop = Math.min(end, offset + 8 + bytes[offset + 1]! * 8);
  for (let at = offset + 2; at + 1 < stop; ) {
    if (bytes[at] === 0) {
      at++;
      continue;
    }
    const length = bytes[at + 1]!;
    if (bytes[at] === 0xc2 && length === 4 && at + 6 <= stop) return long(bytes, at + 2);
    at += 2 + length;
  }
  return undefined;
}
