/** The wire format of netlink: messages of fixed headers and nested attributes, in the byte order of the machine. */
import { endianness } from 'node:os';

const LITTLE = endianness() === 'LE';
const NLA_HEADER = 4;
const NLA_F_NESTED = 0x8000;
const NLA_TYPE_MASK = 0x3fff;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

const align = (size: number): number => (size + 3) & ~3;

/** Writes one message, or any part of one. */
export class WireWriter {
  #bytes = new Uint8Array(512);
  #view = new DataView(this.#bytes.buffer);
  #used = 0;

  get length(): number {
    return this.#used;
  }

  u8(value: number): this {
    this.#view.setUint8(this.#room(1), value);
    return this;
  }

  u16(value: number): this {
    this.#view.setUint16(this.#room(2), value, LITTLE);
    return this;
  }

  u32(value: number): this {
    this.#view.setUint32(this.#room(4), value, LITTLE);
    return this;
  }

  /** A 16-bit number in network order. */
  be16(value: number): this {
    this.#view.setUint16(this.#room(2), value);
    return this;
  }

  /** A signed 32-bit number: descriptors, of which -1 means none. */
  s32(value: number): this {
    this.#view.setInt32(this.#room(4), value, LITTLE);
    return this;
  }

  raw(bytes: Uint8Array): this {
    const at = this.#room(bytes.length);
    this.#bytes.set(bytes, at);
    return this;
  }

  zeros(count: number): this {
    this.#room(count);
    return this;
  }

  /** An attribute whose value `fill` writes. */
  attribute(type: number, fill: (writer: this) => void): this {
    this.zeros(align(this.#used) - this.#used);
    const start = this.#used;
    this.u16(0).u16(type);
    fill(this);
    this.#view.setUint16(start, this.#used - start, LITTLE);
    this.zeros(align(this.#used) - this.#used);
    return this;
  }

  nest(type: number, fill: (writer: this) => void): this {
    return this.attribute(type | NLA_F_NESTED, fill);
  }

  text(type: number, text: string): this {
    return this.attribute(type, (writer) => writer.raw(encoder.encode(text)).u8(0));
  }

  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#used);
  }

  #room(size: number): number {
    const at = this.#used;
    if (at + size > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(at + size, this.#bytes.length * 2));
      larger.set(this.#bytes);
      this.#bytes = larger;
      this.#view = new DataView(larger.buffer);
    }
    this.#used = at + size;
    return at;
  }
}

/** Attributes by type; of two with one type the last counts, as for the kernel. */
export class Attributes {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #places = new Map<number, { readonly start: number; readonly end: number }>();

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at + NLA_HEADER <= bytes.length; ) {
      const size = this.#view.getUint16(at, LITTLE);
      if (size < NLA_HEADER || at + size > bytes.length) break;
      const type = this.#view.getUint16(at + 2, LITTLE) & NLA_TYPE_MASK;
      this.#places.set(type, { start: at + NLA_HEADER, end: at + size });
      at += align(size);
    }
  }

  raw(type: number): Uint8Array | undefined {
    const place = this.#places.get(type);
    return place && this.#bytes.subarray(place.start, place.end);
  }

  nested(type: number): Attributes | undefined {
    const bytes = this.raw(type);
    return bytes && new Attributes(bytes);
  }

  text(type: number): string | undefined {
    const bytes = this.raw(type);
    return bytes && decoder.decode(bytes.subarray(0, bytes.at(-1) === 0 ? -1 : undefined));
  }

  /** A number of 1, 2, 4 or 8 bytes; larger ones than 2^53 lose their last digits. */
  number(type: number): number | undefined {
    const place = this.#places.get(type);
    if (place === undefined) return undefined;
    switch (place.end - place.start) {
      case 1:
        return this.#view.getUint8(place.start);
      case 2:
        return this.#view.getUint16(place.start, LITTLE);
      case 4:
        return this.#view.getUint32(place.start, LITTLE);
      default:
        return undefined;
    }
  }

  /** An array of 64-bit counters. */
  counters(type: number): number[] | undefined {
    const place = this.#places.get(type);
    if (place === undefined) return undefined;
    const count = (place.end - place.start) >> 3;
    return Array.from({ length: count }, (_, i) =>
      Number(this.#view.getBigUint64(place.start + 8 * i, LITTLE)),
    );
  }
}

/** One message of an answer. */
export interface WireMessage {
  readonly type: number;
  readonly flags: number;
  readonly body: Uint8Array;
}

const NLMSG_HEADER = 16;

/** The header, then the body. */
export function wireMessage(type: number, flags: number, sequence: number, body: Uint8Array): Uint8Array {
  const writer = new WireWriter();
  writer
    .u32(NLMSG_HEADER + body.length)
    .u16(type)
    .u16(flags)
    .u32(sequence)
    .u32(0)
    .raw(body);
  return writer.bytes();
}

/** The messages in the bytes of an answer. */
export function* wireMessages(bytes: Uint8Array): Generator<WireMessage> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + NLMSG_HEADER <= bytes.length; ) {
    const size = view.getUint32(at, LITTLE);
    if (size < NLMSG_HEADER || at + size > bytes.length) return;
    yield {
      type: view.getUint16(at + 4, LITTLE),
      flags: view.getUint16(at + 6, LITTLE),
      body: bytes.subarray(at + NLMSG_HEADER, at + size),
    };
    at += align(size);
  }
}

/** Reads a signed 32-bit number of a fixed header. */
export function readS32(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getInt32(at, LITTLE);
}
