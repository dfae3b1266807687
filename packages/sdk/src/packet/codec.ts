/** What every kind of layer has to say about itself, and the frame of layers that building and dissecting share. */
import type { Table, Values } from './header.ts';

/** Where one layer lies in a packet. */
export interface Span {
  readonly codec: Codec;
  /** The form of the header. */
  readonly table: Table;
  /** The byte at which the header starts. */
  readonly offset: number;
  /** The length of the header in bytes. For raw bytes and trailers it is all of them. */
  readonly header: number;
  /** The byte at which the layer ends, with all that it carries. */
  readonly end: number;
  /** Why the bytes of a raw layer were not dissected. */
  readonly reason?: string | undefined;
  /** For a trailer: it lies outside the layers from this index on. */
  readonly after?: number | undefined;
}

/** A packet's bytes and where its layers lie in them. */
export interface Frame {
  readonly bytes: Uint8Array;
  readonly spans: readonly Span[];
}

/** Computes a field that was not given, from the packet as built so far and the layer's other values. */
export type Auto = (frame: Frame, index: number, layer: Values) => unknown;

/** How a layer's checksum is formed. */
export interface ChecksumRule {
  readonly field: string;
  readonly algorithm: 'internet' | 'crc32c';
  /** Whether only the header is covered, or all that the layer carries too. */
  readonly covers: 'header' | 'all';
  /** The protocol number in the pseudo header of the IP layer before, where there is one. */
  readonly pseudoProtocol?: number;
  /** UDP sends a computed 0 as 0xffff, since 0 says that there is no checksum (RFC 768). */
  readonly zeroMeansNone?: boolean;
}

/** One kind of layer. */
export interface Codec {
  readonly kind: string;
  /** The name for people. */
  readonly title: string;
  /** All forms of the header. */
  readonly tables: readonly Table[];
  /** The form that a layer with these fields has. Throws `XDP_PACKET_INVALID` if they fit none. */
  readonly tableOf: (layer: Values) => Table;
  /** Values of fields that are neither given nor computed, where they are not zero. */
  readonly defaults: Values;
  /** Fields that are computed unless given. Checksums are not among them: see `checksum`. */
  readonly auto: Readonly<Record<string, Auto>>;
  /** Those of `auto` that are lengths, where another value than the computed one is an error. */
  readonly lengths?: readonly string[];
  readonly checksum?: ChecksumRule;
  /** Names of values that say something about the layer but stand in no byte of it. */
  readonly notes?: readonly string[];
  /**
   * Reads the layer at `offset` with a header of `header` bytes, as the table does, for the kinds that most packets
   * have: an object literal is made in a fiftieth of the time that a loop over the fields takes.
   */
  readonly read?: (bytes: Uint8Array, offset: number, header: number) => object;
  /** Reads the header at `scan.offset`: accepts it, or refuses it with the reason. */
  readonly scan: (scan: Scan) => void;
}

/** The state of a dissection, as a codec sees it. One object serves a whole packet: nothing is allocated per layer. */
export interface Scan {
  readonly bytes: Uint8Array;
  /** The first byte of this header. */
  readonly offset: number;
  /** The end of the bytes that this layer may use. */
  readonly end: number;
  /** Bytes from `offset` to `end`. */
  readonly available: number;
  /** Whether the packet is one that an ICMP error quotes, and may be cut short. */
  readonly quoted: boolean;
  /** The kind of the layer before, if any. */
  readonly previous: string | undefined;
  /** The kind of layer that a UDP destination port leads to. */
  portKind(port: number): string | undefined;
  /** This layer has a header of this form and length; by default all that follows is its payload. */
  accept(table: Table, header: number): void;
  /** The bytes from here on are a layer of this kind, not of the one asked. */
  instead(kind: string): void;
  /** The bytes from here on are no layer of this kind. */
  refuse(reason: string): void;
  /**
   * What follows the header: a layer of this kind. If there is none, `what` and `value` name the number that led
   * nowhere. Without a call of `next` or `rawNext` plain payload follows.
   */
  next(kind: string | undefined, what: string, value: number): void;
  /** What follows the header cannot be dissected, for this reason. */
  rawNext(reason: string): void;
  /** The layer ends at this byte, if that is before the end of the bytes: the rest is a trailer. */
  endAt(end: number): void;
  /** From here on packets are quoted. */
  quote(): void;
}

/** The span of the next layer, if there is one that this layer carries. */
export function nextSpan(frame: Frame, index: number): Span | undefined {
  const span = frame.spans[index + 1];
  return span === undefined || span.codec.kind === 'trailer' ? undefined : span;
}

/** The kind of the next layer, if there is one. */
export function nextKind(frame: Frame, index: number): string | undefined {
  return nextSpan(frame, index)?.codec.kind;
}

/** An `auto` function for a length: `measure` turns the layer's bytes with its payload and its header into the field. */
export function lengthAuto(measure: (total: number, header: number) => number): Auto {
  return (frame, index) => {
    const span = frame.spans[index]!;
    return measure(span.end - span.offset, span.header);
  };
}

/** Reads a 16-bit word. */
export function word(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 8) | bytes[at + 1]!;
}

/** Reads a 32-bit word. */
export function long(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}
