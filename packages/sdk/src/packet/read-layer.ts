/** Spans to layers: reads the values out of the bytes, and tells computed ones from those that somebody chose. */
import type { Frame, Span } from './codec.ts';
import type { Tail, Values } from './header.ts';
import { checksumPlace, computeChecksum } from './layer-checksum.ts';
import type { Layer } from './layers/index.ts';
import { AUTO } from './spec.ts';
import { framePlace } from './trailers.ts';

/** The layer that a span describes, with every field. */
export function readLayer(bytes: Uint8Array, span: Span): Layer {
  const { codec, offset, header, reason } = span;
  const layer = codec.read === undefined ? readByTable(bytes, span) : codec.read(bytes, offset, header);
  if (reason !== undefined) (layer as { reason: unknown }).reason = reason;
  return Object.freeze(layer) as Layer;
}

/** The same for any kind of layer, field by field; not frozen. */
export function readByTable(bytes: Uint8Array, span: Span): object {
  const layer: Record<string, unknown> = { kind: span.codec.kind };
  for (const { name, read } of span.table.fields) layer[name] = read(bytes, span.offset);
  for (const { tail, from, to } of tailRanges(bytes, span))
    layer[tail.name] = tail.type.read(bytes, from, to);
  if (span.after !== undefined) layer.after = span.after;
  return layer;
}

/** A part of variable length and where it lies. */
export interface TailRange {
  readonly tail: Tail;
  readonly from: number;
  readonly to: number;
}

/** Where the parts of variable length of a layer lie. */
export function tailRanges(bytes: Uint8Array, span: Span): TailRange[] {
  const end = span.offset + span.header;
  let at = span.offset + span.table.length;
  return span.table.tails.map((tail) => {
    const from = at;
    // A packet built with a wrong length on purpose may announce more than it has.
    at = tail.lengthAt === undefined ? end : Math.min(end, from + tail.lengthAt(bytes, span.offset));
    return { tail, from, to: at };
  });
}

/**
 * The layers of a dissected packet as somebody would have given them: a field that has the value which it would be
 * computed to is left to be computed, so that a changed packet gets right lengths and checksums; a field with any
 * other value was chosen on purpose, and stays.
 */
export function inferSpecs(frame: Frame, layers: readonly Layer[]): Values[] {
  const place = framePlace(layers as unknown as readonly Values[]);
  return frame.spans.map((_span, i) => {
    const spec: Record<string, unknown> = { ...(layers[i] as unknown as Values) };
    for (const name of computedFields(frame, i)) spec[name] = AUTO;
    if (spec.after === place) delete spec.after;
    return spec;
  });
}

/** The names of the fields of layer `index` that have the value which they would be computed to. */
export function computedFields(frame: Frame, index: number): string[] {
  const { table, offset } = frame.spans[index]!;
  return table.fields.flatMap(({ name, read }) => {
    const expected = expectedValue(frame, index, name);
    return expected !== undefined && expected === read(frame.bytes, offset) ? [name] : [];
  });
}

/** What a length or checksum should be, if it is wrong. */
export function correction(frame: Frame, index: number, name: string): unknown {
  const { codec, table, offset } = frame.spans[index]!;
  const isChecksum = codec.checksum?.field === name;
  if (!isChecksum && !codec.lengths?.includes(name)) return undefined;
  const value = table.fields.find((field) => field.name === name)?.read(frame.bytes, offset);
  if (isChecksum && codec.checksum.zeroMeansNone === true && value === 0) return undefined;
  const expected = expectedValue(frame, index, name);
  return expected === value ? undefined : expected;
}

/** What a field would be computed to; undefined for one that is never computed, or cannot be here. */
export function expectedValue(frame: Frame, index: number, name: string): unknown {
  const { codec } = frame.spans[index]!;
  if (codec.checksum?.field === name) {
    const place = checksumPlace(frame, index);
    return place === undefined ? undefined : computeChecksum(frame.bytes, place);
  }
  try {
    return codec.auto[name]?.(frame, index, readLayer(frame.bytes, frame.spans[index]!) as unknown as Values);
  } catch {
    // A frame can hold more than the length field of its layer can tell.
    return undefined;
  }
}
