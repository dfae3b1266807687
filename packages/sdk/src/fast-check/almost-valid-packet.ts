/** Packets with one thing wrong: what a program should drop, and often forgets to. */
import fc from 'fast-check';
import type { FieldPath, LayerKind, Packet } from '../packet/index.ts';
import { type PacketOptions, validPacket } from './valid-packet.ts';

/** What can be wrong. */
export type FaultKind = 'checksum' | 'length' | 'version' | 'truncated';

/** A packet with one fault. */
export class FaultyPacket {
  readonly bytes: Uint8Array;
  readonly kind: FaultKind;
  /** What is wrong, in words: `udp.checksum is 0x1234, not 0x1235`. */
  readonly fault: string;
  /** The packet without the fault. */
  readonly valid: Packet;

  constructor(valid: Packet, kind: FaultKind, bytes: Uint8Array, fault: string) {
    this.valid = valid;
    this.kind = kind;
    this.bytes = bytes;
    this.fault = fault;
    Object.freeze(this);
  }

  /** For the report of a failed property: enough to make the packet again. */
  toString(): string {
    const hex = Array.from(this.bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    return `${this.valid} but ${this.fault}: ${hex}`;
  }
}

const lengthFields: readonly (readonly [LayerKind, string])[] = [
  ['ipv4', 'totalLength'],
  ['ipv4', 'ihl'],
  ['ipv6', 'payloadLength'],
  ['udp', 'length'],
  ['tcp', 'dataOffset'],
  ['gue', 'hlen'],
  ['geneve', 'optionsLength'],
  ['srh', 'length'],
  ['hopopts', 'length'],
];
const checksumFields: readonly (readonly [LayerKind, string])[] = [
  ['ipv4', 'checksum'],
  ['udp', 'checksum'],
  ['tcp', 'checksum'],
  ['icmp', 'checksum'],
  ['icmpv6', 'checksum'],
  ['sctp', 'checksum'],
  ['gre', 'checksum'],
];
const versionFields: readonly (readonly [LayerKind, string])[] = [
  ['ipv4', 'version'],
  ['ipv6', 'version'],
];

/** The largest value of the fields above, where it is not that of 16 bits. */
const limits: Readonly<Record<string, number>> = {
  ihl: 15,
  dataOffset: 15,
  hlen: 31,
  optionsLength: 63,
  version: 15,
  srh: 255,
  hopopts: 255,
  sctp: 0xffff_ffff,
};

/**
 * A packet that is valid but for one thing: a checksum, a length, a version, or its end is missing. Checksums over a wrong
 * length are right, so that the length is the only fault. Every fault can be in an inner packet too.
 */
export function almostValidPacket(options?: PacketOptions): fc.Arbitrary<FaultyPacket> {
  return fc
    .record({
      valid: validPacket(options),
      kind: fc.constantFrom<FaultKind>('checksum', 'length', 'version', 'truncated'),
      place: fc.nat(15),
      change: fc.nat(0xffff),
    })
    .map(({ valid, kind, place, change }) => damage(valid, kind, place, change));
}

function damage(valid: Packet, kind: FaultKind, place: number, change: number): FaultyPacket {
  const fields = kind === 'checksum' ? checksumFields : kind === 'length' ? lengthFields : versionFields;
  const targets = kind === 'truncated' ? [] : placesOf(valid, fields);
  const target = targets[place % Math.max(1, targets.length)];
  // Where there is no such field, such as a checksum in ARP, the end is cut off.
  if (target === undefined) return truncate(valid, change);
  const { path, value, limit } = target;
  const wrong = otherValue(value, limit, change, kind === 'checksum');
  const changed = valid.with(path as FieldPath, wrong as never);
  const show = (number: number) => (kind === 'checksum' ? `0x${number.toString(16)}` : String(number));
  return new FaultyPacket(valid, kind, changed.bytes, `${path} is ${show(wrong)}, not ${show(value)}`);
}

function placesOf(
  valid: Packet,
  fields: readonly (readonly [LayerKind, string])[],
): { path: string; value: number; limit: number }[] {
  const seen = new Map<string, number>();
  return valid.layers.flatMap((layer) => {
    const nth = seen.get(layer.kind) ?? 0;
    seen.set(layer.kind, nth + 1);
    return fields.flatMap(([kind, field]) => {
      const value = (layer as unknown as Record<string, unknown>)[field];
      // A UDP checksum of 0 says that there is none: nothing can be wrong with it.
      if (kind !== layer.kind || typeof value !== 'number' || (field === 'checksum' && value === 0))
        return [];
      return [{ path: `${kind}[${nth}].${field}`, value, limit: limits[field] ?? limits[kind] ?? 0xffff }];
    });
  });
}

/** Another value of the field, near the right one for small changes. */
function otherValue(value: number, limit: number, change: number, isChecksum: boolean): number {
  const wrong = (value + 1 + (change % limit)) % (limit + 1);
  if (!isChecksum) return wrong;
  // 0 and 0xffff are the same number in the arithmetic of checksums, and 0 has a meaning of its own in UDP.
  const isSame = wrong % 0xffff === value % 0xffff && limit === 0xffff;
  return wrong === 0 || isSame ? (value === 1 ? 2 : 1) : wrong;
}

/** At least an Ethernet header is left: less, and the kernel would not take it. */
function truncate(valid: Packet, change: number): FaultyPacket {
  const { bytes } = valid;
  const length = bytes.length - 1 - (change % Math.max(1, bytes.length - 14));
  return new FaultyPacket(
    valid,
    'truncated',
    bytes.slice(0, length),
    `cut to ${length} of ${bytes.length} bytes`,
  );
}
