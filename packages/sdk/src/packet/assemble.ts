/** Layers to bytes: places the headers, writes what was given, and computes the rest. */
import type { Frame, Span } from './codec.ts';
import type { Table, Values } from './header.ts';
import { checksumPlace, writeChecksum } from './layer-checksum.ts';
import { AUTO, codecOf } from './spec.ts';
import { trailerPlaces } from './trailers.ts';

/** Builds the bytes of layers that were checked by `layerSpec`. */
export function assemble(specs: readonly Values[]): Frame {
  const spans = place(specs);
  const frame = { bytes: new Uint8Array(totalBytes(specs, spans)), spans };
  for (const [i, span] of spans.entries()) writeGiven(frame.bytes, span, specs[i]!);
  for (const [i, span] of spans.entries()) {
    for (const field of span.table.fields) {
      const auto = specs[i]![field.name] === AUTO ? span.codec.auto[field.name] : undefined;
      if (auto === undefined) continue;
      const value = field.type.check(
        auto(frame, i, specs[i]!),
        `${span.codec.kind}.${field.name}`,
        field.width,
      );
      field.type.write(frame.bytes, span.offset * 8 + field.bit, field.width, value);
    }
  }
  // From the inside out: a checksum covers those of the layers that its own layer carries.
  for (let i = spans.length - 1; i >= 0; i--) {
    const rule = spans[i]!.codec.checksum;
    const sum = rule !== undefined && specs[i]![rule.field] === AUTO ? checksumPlace(frame, i) : undefined;
    if (sum !== undefined) writeChecksum(frame.bytes, sum);
  }
  return frame;
}

function writeGiven(bytes: Uint8Array, span: Span, spec: Values): void {
  for (const { name, type, bit, width } of span.table.fields) {
    const value = spec[name];
    if (value !== AUTO) type.write(bytes, span.offset * 8 + bit, width, value);
  }
  let at = span.offset + span.table.length;
  for (const { name, type } of span.table.tails) {
    type.write(bytes, at, spec[name]);
    at += type.sizeBytes(spec[name]);
  }
}

function place(specs: readonly Values[]): Span[] {
  const codecs = specs.map(codecOf);
  const tables = specs.map((spec, i) => codecs[i]!.tableOf(spec));
  const sizes = specs.map((spec, i) => headerBytes(spec, tables[i]!));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const after = trailerPlaces(specs);
  const spans: Span[] = [];
  let offset = 0;
  for (const [i, codec] of codecs.entries()) {
    const header = sizes[i]!;
    const table = tables[i]!;
    if (codec.kind === 'trailer') {
      spans.push({ codec, table, offset, header, end: offset + header, after: after[i] });
    } else {
      // The trailers that lie outside this layer are the last ones, since their places do not rise.
      let end = total;
      for (let t = specs.length - 1; t > i && after[t] !== undefined && after[t]! <= i; t--) end -= sizes[t]!;
      const reason = specs[i]!.reason as string | undefined;
      spans.push({ codec, table, offset, header, end: codec.kind === 'raw' ? offset + header : end, reason });
    }
    offset += header;
  }
  return spans;
}

function headerBytes(spec: Values, table: Table): number {
  return table.tails.reduce((sum, { name, type }) => sum + type.sizeBytes(spec[name]), table.length);
}

function totalBytes(specs: readonly Values[], spans: readonly Span[]): number {
  const last = spans[specs.length - 1];
  return last === undefined ? 0 : last.offset + last.header;
}
