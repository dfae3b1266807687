/** Codecs of arrays: strings for char, Uint8Array for unsigned bytes, JavaScript arrays for everything else. */
import { XdpError } from '../errors.ts';
import {
  type BpfValue,
  type Codec,
  type CodecContext,
  copyExact,
  encodeInto,
  invalidValue,
} from './codec.ts';

export function arrayCodec(
  context: CodecContext,
  type: { readonly type: number; readonly count: number },
): Codec {
  const element = context.resolve(type.type);
  if (element.type.kind === 'int' && element.type.size === 1) {
    return element.type.name === 'char' ? stringCodec(type.count) : bytesCodec(type.count);
  }
  const codec = context.codecOf(type.type);
  return {
    size: codec.size * type.count,
    type: `${codec.type}[${type.count}]`,
    encode(value, view, offset, path) {
      if (!Array.isArray(value)) throw invalidValue(path, value, `an array of ${type.count} x ${codec.type}`);
      if (value.length !== type.count) {
        throw new XdpError(
          'XDP_VALUE_INVALID',
          `${path}: expected ${type.count} elements, got ${value.length}`,
        );
      }
      value.forEach((item, i) => {
        encodeInto(codec, item, view, offset + i * codec.size, `${path}[${i}]`);
      });
    },
    decode(view, offset): BpfValue {
      return Array.from({ length: type.count }, (_, i) => codec.decode(view, offset + i * codec.size));
    },
  };
}

function bytesCodec(count: number): Codec {
  return {
    size: count,
    type: `__u8[${count}]`,
    encode(value, view, offset, path) {
      if (value instanceof Uint8Array) copyExact(value, count, view, offset, path);
      else if (Array.isArray(value) && value.every((b) => Number.isInteger(b) && b >= 0 && b <= 255)) {
        copyExact(Uint8Array.from(value), count, view, offset, path);
      } else
        throw invalidValue(path, value, `${count} bytes (a Uint8Array or an array of numbers from 0 to 255)`);
    },
    decode: (view, offset) => new Uint8Array(view.buffer, view.byteOffset + offset, count).slice(),
  };
}

function stringCodec(count: number): Codec {
  return {
    size: count,
    type: 'char[]',
    encode(value, view, offset, path) {
      if (typeof value !== 'string') throw invalidValue(path, value, `a string of at most ${count} bytes`);
      const bytes = new TextEncoder().encode(value);
      if (bytes.length > count) {
        throw new XdpError(
          'XDP_VALUE_INVALID',
          `${path}: the string has ${bytes.length} bytes, ${count} fit`,
        );
      }
      bytes.forEach((byte, i) => {
        view.setUint8(offset + i, byte);
      });
    },
    decode(view, offset) {
      const bytes = new Uint8Array(view.buffer, view.byteOffset + offset, count);
      const end = bytes.indexOf(0);
      return new TextDecoder().decode(bytes.slice(0, end < 0 ? count : end));
    },
  };
}
