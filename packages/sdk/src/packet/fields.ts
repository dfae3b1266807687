/** Finding a field in a packet's bytes: where it stands, how its values are written, which checksums cover it. */
import { readBig, readBits, writeBig, writeBits } from './bits.ts';
import type { Frame } from './codec.ts';
import { type DissectOptions, dissectPlan } from './dissect.ts';
import { packetInvalid } from './header.ts';
import { type ChecksumPlace, checksumPlace, computeChecksum } from './layer-checksum.ts';
import type { Layers } from './layers/index.ts';
import { findCodec } from './layers/index.ts';
import { type FieldPath, frameOf, type KindOfPath, type Packet } from './packet.ts';
import { type PacketLike, packetBytes } from './packet-batch.ts';
import { layerIndex, parsePath } from './path.ts';
import { tailRanges } from './read-layer.ts';
import { scanLayers } from './scan.ts';
import { expectField } from './spec.ts';

/** A field of a packet. `shift`, where a function takes it, is the byte at which the packet starts in the bytes given. */
export interface FieldPlace {
  readonly path: string;
  /** The index of its layer. */
  readonly layer: number;
  /** Its first byte. */
  readonly offset: number;
  /** Its first bit, counted from the packet's start. */
  readonly bitOffset: number;
  readonly widthBits: number;
  /** The kind of value: uint, hex, bits, flag, mac, ipv4, ipv6, uint64; bytes, options or addresses if of variable length. */
  readonly type: string;
  /** The value that stands there. */
  read(bytes: Uint8Array, shift?: number): unknown;
  /** Writes a value over the one that stands there. It must fit the field, and be of the same size. */
  write(bytes: Uint8Array, value: unknown, shift?: number): void;
  /** A value as the whole number that its bits make: a bigint above 48 bits. Not for fields of variable length. */
  toBits(value: unknown): number | bigint;
  /** Writes such a number, which must have `widthBits` bits at most; it is not checked. */
  writeBits(bytes: Uint8Array, bits: number | bigint, shift?: number): void;
  /**
   * The checksums that must be written anew when the field changes, in the order in which to do it: a checksum may
   * cover the one before it. Those that are absent (UDP's 0) or wrong in the packet are left out: they stay as they are.
   */
  readonly checksums: readonly ChecksumPlace[];
}

/**
 * Where a field stands in a packet.
 * @throws XdpError `XDP_PACKET_INVALID` when the packet has no such layer, or the layer no such field.
 */
export function locateField(packet: Packet, path: FieldPath): FieldPlace {
  const frame = frameOf(packet);
  const parsed = parsePath(path);
  const layer = layerIndex(frame, parsed);
  const span = frame.spans[layer];
  const name = parsed.field;
  if (span === undefined || name === undefined) {
    const kinds = frame.spans.map(({ codec }) => codec.kind).join(' / ') || 'empty';
    throw packetInvalid(`${path}: the packet has no such layer or field; its layers are ${kinds}`);
  }
  expectField(span.codec, name);
  const where = path as string;
  const field = span.table.fields.find((candidate) => candidate.name === name);
  if (field !== undefined) {
    const { type, width } = field;
    const bit = span.offset * 8 + field.bit;
    return Object.freeze({
      path: where,
      layer,
      offset: bit >> 3,
      bitOffset: bit,
      widthBits: width,
      type: type.name,
      read: (bytes, shift = 0) => type.read(bytes, bit + shift * 8, width),
      write: (bytes, value, shift = 0) =>
        type.write(bytes, bit + shift * 8, width, type.check(value, where, width)),
      toBits(value) {
        const scratch = new Uint8Array(16);
        type.write(scratch, 0, width, type.check(value, where, width));
        return width > 48 ? readBig(scratch, 0, width) : readBits(scratch, 0, width);
      },
      writeBits: (bytes, bits, shift = 0) =>
        typeof bits === 'bigint'
          ? writeBig(bytes, (bit >> 3) + shift, width, bits)
          : writeBits(bytes, bit + shift * 8, width, bits),
      checksums: checksumsOver(frame, bit >> 3, (bit + width + 7) >> 3),
    } satisfies FieldPlace);
  }
  const found = tailRanges(frame.bytes, span).find(({ tail }) => tail.name === name);
  if (found === undefined) throw packetInvalid(`${path}: this form of the layer has no such field`);
  const { from, to } = found;
  const { type } = found.tail;
  const noBits = () => packetInvalid(`${path} is of variable length: write a whole value`);
  return Object.freeze({
    path: where,
    layer,
    offset: from,
    bitOffset: from * 8,
    widthBits: (to - from) * 8,
    type: type.name,
    read: (bytes, shift = 0) => type.read(bytes, from + shift, to + shift),
    write(bytes, value, shift = 0) {
      const checked = type.check(value, where);
      const size = type.sizeBytes(checked);
      if (size !== to - from)
        throw packetInvalid(`${path} has ${to - from} bytes here, and a value of ${size} does not fit`);
      type.write(bytes, from + shift, checked);
    },
    toBits() {
      throw noBits();
    },
    writeBits() {
      throw noBits();
    },
    checksums: checksumsOver(frame, from, to),
  } satisfies FieldPlace);
}

/** The right checksums that depend on the bytes `from` to `to`, the innermost first. */
function checksumsOver(frame: Frame, from: number, to: number): readonly ChecksumPlace[] {
  const changed = [{ from, to }];
  const places: ChecksumPlace[] = [];
  for (let i = frame.spans.length - 1; i >= 0; i--) {
    const place = checksumPlace(frame, i);
    if (place === undefined) continue;
    const width = place.algorithm === 'crc32c' ? 4 : 2;
    const depends = [{ from: place.from, to: place.to }, ...place.pseudo].some((range) =>
      changed.some((change) => change.from < range.to && range.from < change.to),
    );
    // A checksum that is varied itself is not put right again.
    const isItself = from < place.offset + width && place.offset < to && to - from <= width;
    if (!depends || isItself || !isRight(frame, place)) continue;
    places.push(place);
    changed.push({ from: place.offset, to: place.offset + width });
  }
  return Object.freeze(places);
}

function isRight(frame: Frame, place: ChecksumPlace): boolean {
  return (
    readBits(frame.bytes, place.offset * 8, place.algorithm === 'crc32c' ? 32 : 16) ===
    computeChecksum(frame.bytes, place)
  );
}

/** The type of the value in a field. */
export type FieldValue<P extends string> = P extends `${infer L}.${infer F}`
  ? F extends keyof Layers[KindOfPath<L>]
    ? Layers[KindOfPath<L>][F]
    : never
  : never;

/**
 * A function that reads one field of packets in bytes: for many packets of which one value each is wanted, without
 * making their layers. It gives undefined for a packet without the layer.
 */
export function fieldReader<P extends FieldPath>(
  path: P,
  options?: DissectOptions,
): (bytes: PacketLike) => FieldValue<P> | undefined {
  const { first, ports } = dissectPlan(options);
  const parsed = parsePath(path);
  const codec = findCodec(parsed.kind);
  const name = parsed.field;
  if (codec === undefined || name === undefined) throw packetInvalid(`${path} is not the path of a field`);
  expectField(codec, name);
  return (packet) => {
    const frame = scanLayers(packetBytes(packet), first, ports);
    const span = frame.spans[layerIndex(frame, parsed)];
    if (span === undefined) return undefined;
    const field = span.table.fields.find((candidate) => candidate.name === name);
    if (field !== undefined) return field.read(frame.bytes, span.offset) as FieldValue<P>;
    const found = tailRanges(frame.bytes, span).find(({ tail }) => tail.name === name);
    return found?.tail.type.read(frame.bytes, found.from, found.to) as FieldValue<P> | undefined;
  };
}
