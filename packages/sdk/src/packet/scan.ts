/** Bytes to spans: walks from header to header, never past the end, and never throws whatever the bytes are. */
import type { Codec, Frame, Scan, Span } from './codec.ts';
import type { Table } from './header.ts';
import { findCodec } from './layers/index.ts';
import { rawCodec, trailerCodec } from './layers/raw.ts';

/** More layers than any real packet has; what lies deeper stays raw. MPLS stacks and IP-in-IP could go on for long. */
export const MAX_LAYERS = 32;

const rawTable = rawCodec.tables[0]!;

class Scanner implements Scan {
  readonly bytes: Uint8Array;
  readonly ports: ReadonlyMap<number, string>;
  offset = 0;
  end: number;
  quoted = false;
  previous: string | undefined;
  // What the codec answered:
  table: Table | undefined;
  header = 0;
  layerEnd = 0;
  nextKind: string | undefined;
  replacement: string | undefined;
  reason: string | undefined;

  constructor(bytes: Uint8Array, ports: ReadonlyMap<number, string>) {
    this.bytes = bytes;
    this.end = bytes.length;
    this.ports = ports;
  }

  get available(): number {
    return this.end - this.offset;
  }

  portKind(port: number): string | undefined {
    return this.ports.get(port);
  }

  accept(table: Table, header: number): void {
    this.table = table;
    this.header = header;
  }

  refuse(reason: string): void {
    this.table = undefined;
    this.reason = reason;
  }

  instead(kind: string): void {
    this.replacement = kind;
  }

  next(kind: string | undefined, what: string, value: number): void {
    this.nextKind = kind;
    if (kind === undefined)
      this.reason = `${what} ${what === 'ethertype' ? hex(value) : value} is not dissected`;
  }

  rawNext(reason: string): void {
    this.nextKind = undefined;
    this.reason = reason;
  }

  endAt(end: number): void {
    if (end < this.end) this.layerEnd = end;
  }

  quote(): void {
    this.quoted = true;
  }

  /** Asks a codec about the header at `offset`, and gives back the codec that answered. */
  ask(codec: Codec): Codec {
    this.table = undefined;
    this.layerEnd = this.end;
    this.nextKind = undefined;
    this.replacement = undefined;
    this.reason = undefined;
    codec.scan(this);
    if (this.replacement === undefined) return codec;
    return this.ask(findCodec(this.replacement)!);
  }
}

function hex(value: number): string {
  return `0x${value.toString(16).padStart(4, '0')}`;
}

/** Finds the layers in `bytes`, of which the first is of the kind `first`. */
export function scanLayers(bytes: Uint8Array, first: Codec, ports: ReadonlyMap<number, string>): Frame {
  const scanner = new Scanner(bytes, ports);
  const spans: Span[] = [];
  // Trailers are met from the outside in; they stand the other way round.
  const trailers: Span[] = [];
  let codec: Codec | undefined = first;
  let reason: string | undefined;
  while (scanner.offset < scanner.end) {
    const { offset, end } = scanner;
    if (codec === undefined || spans.length === MAX_LAYERS) {
      spans.push(rawSpan(offset, end, codec === undefined ? reason : `more than ${MAX_LAYERS} layers`));
      break;
    }
    const answered = scanner.ask(codec);
    if (scanner.table === undefined) {
      spans.push(rawSpan(offset, end, scanner.reason));
      break;
    }
    const { table, header, layerEnd } = scanner;
    if (layerEnd < end)
      trailers.push({
        codec: trailerCodec,
        table: rawTable,
        offset: layerEnd,
        header: end - layerEnd,
        end,
        after: spans.length,
      });
    spans.push({
      codec: answered,
      table,
      offset,
      header,
      end: layerEnd,
      reason: undefined,
      after: undefined,
    });
    scanner.offset = offset + header;
    scanner.end = layerEnd;
    scanner.previous = answered.kind;
    reason = scanner.reason;
    codec = scanner.nextKind === undefined ? undefined : findCodec(scanner.nextKind);
  }
  for (let i = trailers.length - 1; i >= 0; i--) spans.push(trailers[i]!);
  return { bytes, spans };
}

function rawSpan(offset: number, end: number, reason: string | undefined): Span {
  return { codec: rawCodec, table: rawTable, offset, header: end - offset, end, reason, after: undefined };
}
