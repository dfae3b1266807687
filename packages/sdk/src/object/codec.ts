/**
 * Values between JavaScript and the bytes of a BTF type.
 *
 * A codec is made once for each type of an object. Integers of up to 4 bytes are numbers and of 8 or 16 bytes bigints;
 * enums are the names of their enumerators; `char` arrays are strings, `__u8` arrays Uint8Arrays; structs are plain
 * objects without their padding. Numbers whose typedef says __be16, __be32 or __be64 are in host order in JavaScript
 * and in network order in memory.
 */
import { describeValue, XdpError } from '../errors.ts';
import type { NativeType } from '../native.ts';

/** A value that a map or a variable can hold, as JavaScript sees it. */
export type BpfValue =
  | number
  | bigint
  | string
  | boolean
  | Uint8Array
  | readonly BpfValue[]
  | { readonly [member: string]: BpfValue };

/** Reads and writes one type. */
export interface Codec {
  readonly size: number;
  /** The type as C would write it, for messages. */
  readonly type: string;
  /** Writes into zeroed bytes; `path` names the value in messages. */
  encode(value: unknown, view: DataView, offset: number, path: string): void;
  decode(view: DataView, offset: number): BpfValue;
}

/** What a kind of codec needs to know of the type that it is for. */
export interface CodecContext {
  /** The codec of another type of the same object. */
  codecOf(id: number): Codec;
  /** A type with its modifiers and typedefs taken off. */
  resolve(id: number): ResolvedType;
}

/** A type without its wrapping, and the names of the typedefs that wrapped it, outermost first. */
export interface ResolvedType {
  readonly type: NativeType;
  readonly typedefs: readonly string[];
}

export function invalidValue(path: string, value: unknown, expected: string): XdpError {
  return new XdpError('XDP_VALUE_INVALID', `${path}: expected ${expected}, got ${describeValue(value)}`);
}

/** Bytes of an exact size, where there is no BTF to say more. */
export function rawCodec(size: number): Codec {
  return {
    size,
    type: `${size} bytes`,
    encode(value, view, offset, path) {
      if (!(value instanceof Uint8Array))
        throw invalidValue(path, value, `a Uint8Array of ${size} bytes (no BTF here)`);
      copyExact(value, size, view, offset, path);
    },
    decode(view, offset) {
      return new Uint8Array(view.buffer, view.byteOffset + offset, size).slice();
    },
  };
}

/** Copies raw bytes, which every type accepts in place of a value, after a check of their number. */
export function copyExact(
  bytes: Uint8Array,
  size: number,
  view: DataView,
  offset: number,
  path: string,
): void {
  if (bytes.length !== size) {
    throw new XdpError('XDP_SIZE_MISMATCH', `${path}: expected ${size} bytes, got ${bytes.length}`);
  }
  new Uint8Array(view.buffer, view.byteOffset + offset, size).set(bytes);
}

/** The bytes of a value. */
export function encodeValue(codec: Codec, value: unknown, path: string): Uint8Array {
  const bytes = new Uint8Array(codec.size);
  encodeInto(codec, value, new DataView(bytes.buffer), 0, path);
  return bytes;
}

/** Writes a value, or its raw bytes, at an offset. */
export function encodeInto(codec: Codec, value: unknown, view: DataView, offset: number, path: string): void {
  if (value instanceof Uint8Array) copyExact(value, codec.size, view, offset, path);
  else codec.encode(value, view, offset, path);
}
