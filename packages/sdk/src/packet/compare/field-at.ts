/** One field of a packet, as comparing and showing need it. */
import type { Frame } from '../codec.ts';
import { formatBytes } from '../lists.ts';
import { correction, tailRanges } from '../read-layer.ts';

/** As many as stand in a column beside other values. */
const SHOWN_BYTES = 6;

export interface FieldAt {
  readonly value: unknown;
  readonly offset: number;
  readonly sizeBytes: number;
  /** The bytes, for a part of variable length; a field of fixed width is told apart by its value. */
  readonly tail: Uint8Array | undefined;
  /** Whether the value is nothing but bytes. */
  readonly isBytes: boolean;
  /** The value for people; for bytes, those from `skip` on. */
  text(skip?: number): string;
}

/** The field of a layer; undefined if this form of the layer does not have it. */
export function fieldAt(frame: Frame, layer: number, name: string): FieldAt | undefined {
  const span = frame.spans[layer]!;
  const field = span.table.fields.find((candidate) => candidate.name === name);
  if (field !== undefined) {
    const { type, width, bit } = field;
    const offset = span.offset + (bit >> 3);
    const value = field.read(frame.bytes, span.offset);
    return {
      value,
      offset,
      sizeBytes: span.offset + ((bit + width + 7) >> 3) - offset,
      tail: undefined,
      isBytes: false,
      text: () => type.format(value, width),
    };
  }
  const found = tailRanges(frame.bytes, span).find(({ tail }) => tail.name === name);
  if (found === undefined) return undefined;
  const { from, to } = found;
  const { type } = found.tail;
  const bytes = frame.bytes.subarray(from, to);
  const value = type.read(frame.bytes, from, to);
  const isBytes = value instanceof Uint8Array;
  const text = (skip = 0) => {
    if (!isBytes) return type.format(value);
    const shown = formatBytes(bytes.subarray(skip), SHOWN_BYTES);
    return skip === 0 ? shown : `+${skip}: ${shown}`;
  };
  return { value, offset: from, sizeBytes: to - from, tail: bytes, isBytes, text };
}

/** Whether a field is the checksum of its layer, and right. */
export function isRightChecksum(frame: Frame, layer: number, name: string): boolean {
  const span = frame.spans[layer]!;
  const rule = span.codec.checksum;
  if (rule?.field !== name) return false;
  const value = span.table.fields.find((field) => field.name === name)?.read(frame.bytes, span.offset);
  const isAbsent = rule.zeroMeansNone === true && value === 0;
  return !isAbsent && correction(frame, layer, name) === undefined;
}

/** How many bytes two ranges have in common from their start. */
export function commonLength(a: Uint8Array, b: Uint8Array): number {
  const limit = Math.min(a.length, b.length);
  let length = 0;
  while (length < limit && a[length] === b[length]) length++;
  return length;
}
