/** The checksums of layers: what they cover, what they should be. */
import { addWords, crc32cAdd, foldSum } from './checksum.ts';
import type { ChecksumRule, Frame, Span } from './codec.ts';
import type { Field } from './header.ts';
import { type ByteRange, pseudoRanges } from './pseudo-header.ts';

/** One checksum of a packet: where it stands and what it covers. */
export interface ChecksumPlace {
  /** The index of the layer that has it. */
  readonly layer: number;
  /** Where it stands: two bytes big-endian, four bytes little-endian for CRC32c. */
  readonly offset: number;
  readonly algorithm: 'internet' | 'crc32c';
  /** The bytes that it covers, itself among them, which count as zero. The range starts at a 16-bit word of the sum. */
  readonly from: number;
  readonly to: number;
  /** Addresses of the IP header that enter as a pseudo header, besides the protocol number and the length. */
  readonly pseudo: readonly ByteRange[];
  /** What the protocol number and the length add to the sum. */
  readonly constant: number;
  /** A computed 0 is sent as 0xffff (UDP). */
  readonly zeroMeansNone: boolean;
}

/** The checksum of layer `index`, if this form of the layer has one. */
export function checksumPlace(frame: Frame, index: number): ChecksumPlace | undefined {
  const span = frame.spans[index]!;
  const rule = span.codec.checksum;
  const field = rule === undefined ? undefined : checksumField(span, rule);
  if (rule === undefined || field === undefined) return undefined;
  const to = rule.covers === 'header' ? span.offset + span.header : span.end;
  const pseudo = rule.pseudoProtocol === undefined ? NONE : pseudoRanges(frame, index);
  // The length of a jumbogram has 32 bits; as it is only added, its two halves may be added as one number.
  const constant = pseudo.length === 0 ? 0 : rule.pseudoProtocol! + (to - span.offset);
  return {
    layer: index,
    offset: span.offset + field.bit / 8,
    algorithm: rule.algorithm,
    from: span.offset,
    to,
    pseudo,
    constant,
    zeroMeansNone: rule.zeroMeansNone === true,
  };
}

const NONE: readonly ByteRange[] = Object.freeze([]);

/** The checksum's field in this form of the layer. */
export function checksumField(span: Span, rule: ChecksumRule): Field | undefined {
  return span.table.fields.find(({ name }) => name === rule.field);
}

/**
 * What a checksum should be, as the number that its bytes read as, most significant first.
 * `shift` is added to all places, for a packet that starts elsewhere in `bytes`.
 */
export function computeChecksum(bytes: Uint8Array, place: ChecksumPlace, shift = 0): number {
  const from = place.from + shift;
  const at = place.offset + shift;
  const to = place.to + shift;
  if (place.algorithm === 'crc32c') {
    let crc = crc32cAdd(0xffffffff, bytes, from, at);
    crc = crc32cAdd(crc, ZERO, 0, 4);
    crc = ~crc32cAdd(crc, bytes, at + 4, to);
    // RFC 9260, appendix A: the least significant byte is sent first.
    return (((crc & 0xff) << 24) | ((crc & 0xff00) << 8) | ((crc >>> 8) & 0xff00) | (crc >>> 24)) >>> 0;
  }
  let sum = place.constant;
  for (const range of place.pseudo) sum = addWords(sum, bytes, range.from + shift, range.to + shift);
  sum = addWords(addWords(sum, bytes, from, at), bytes, at + 2, to);
  const checksum = 0xffff - foldSum(sum);
  return checksum === 0 && place.zeroMeansNone ? 0xffff : checksum;
}

const ZERO = new Uint8Array(4);

/** Computes a checksum and puts it in its place. */
export function writeChecksum(bytes: Uint8Array, place: ChecksumPlace, shift = 0): void {
  const value = computeChecksum(bytes, place, shift);
  const at = place.offset + shift;
  if (place.algorithm === 'crc32c') {
    bytes[at] = value >>> 24;
    bytes[at + 1] = (value >>> 16) & 0xff;
    bytes[at + 2] = (value >>> 8) & 0xff;
    bytes[at + 3] = value & 0xff;
  } else {
    bytes[at] = value >>> 8;
    bytes[at + 1] = value & 0xff;
  }
}
