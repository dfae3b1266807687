/** Codecs of integers, enums and floats. */
import { describeValue, XdpError } from '../errors.ts';
import type { NativeType } from '../native.ts';
import { type BpfValue, type Codec, invalidValue } from './codec.ts';

const INT_SIGNED = 1;
const INT_BOOL = 4;

/** Typedefs of the kernel for numbers in network order (include/uapi/linux/types.h). */
const BIG_ENDIAN = /^(__be|be)(16|32|64)$/;

/** Checks a number or bigint against the range of `bits` bits and gives it as a bigint. */
export function toInteger(value: unknown, bits: number, signed: boolean, path: string): bigint {
  const min = signed ? -(1n << BigInt(bits - 1)) : 0n;
  const max = signed ? (1n << BigInt(bits - 1)) - 1n : (1n << BigInt(bits)) - 1n;
  if (typeof value !== 'bigint' && !(typeof value === 'number' && Number.isInteger(value))) {
    throw invalidValue(path, value, `a whole number (${signed ? 'signed' : 'unsigned'}, ${bits} bits)`);
  }
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw invalidValue(path, value, 'a bigint: numbers this large are not exact');
  }
  const integer = BigInt(value);
  if (integer < min || integer > max) throw outOfRange(path, value, min, max);
  return integer;
}

function outOfRange(path: string, value: unknown, min: bigint, max: bigint): XdpError {
  return new XdpError(
    'XDP_VALUE_INVALID',
    `${path}: ${describeValue(value)} is out of range, ${min} to ${max} fit`,
  );
}

function writeInteger(
  view: DataView,
  offset: number,
  size: number,
  value: bigint,
  littleEndian: boolean,
): void {
  if (size === 16) {
    view.setBigUint64(offset + (littleEndian ? 0 : 8), BigInt.asUintN(64, value), littleEndian);
    view.setBigUint64(offset + (littleEndian ? 8 : 0), BigInt.asUintN(64, value >> 64n), littleEndian);
  } else if (size === 8) view.setBigUint64(offset, BigInt.asUintN(64, value), littleEndian);
  else if (size === 4) view.setUint32(offset, Number(BigInt.asUintN(32, value)), littleEndian);
  else if (size === 2) view.setUint16(offset, Number(BigInt.asUintN(16, value)), littleEndian);
  else view.setUint8(offset, Number(BigInt.asUintN(8, value)));
}

function readInteger(
  view: DataView,
  offset: number,
  size: number,
  signed: boolean,
  le: boolean,
): number | bigint {
  switch (size) {
    case 1:
      return signed ? view.getInt8(offset) : view.getUint8(offset);
    case 2:
      return signed ? view.getInt16(offset, le) : view.getUint16(offset, le);
    case 4:
      return signed ? view.getInt32(offset, le) : view.getUint32(offset, le);
    case 8:
      return signed ? view.getBigInt64(offset, le) : view.getBigUint64(offset, le);
    default: {
      const low = view.getBigUint64(offset + (le ? 0 : 8), le);
      const high = view.getBigUint64(offset + (le ? 8 : 0), le);
      const bits = (high << 64n) | low;
      return signed ? BigInt.asIntN(128, bits) : bits;
    }
  }
}

export function integerCodec(
  type: { readonly name: string; readonly size: number; readonly encoding: number },
  typedefs: readonly string[],
): Codec {
  const { size } = type;
  const signed = (type.encoding & INT_SIGNED) !== 0;
  const littleEndian = !typedefs.some((name) => BIG_ENDIAN.test(name));
  if ((type.encoding & INT_BOOL) !== 0) return booleanCodec(type.name, size);
  return {
    size,
    type: typedefs[0] ?? type.name,
    encode(value, view, offset, path) {
      writeInteger(view, offset, size, toInteger(value, size * 8, signed, path), littleEndian);
    },
    decode: (view, offset) => readInteger(view, offset, size, signed, littleEndian),
  };
}

function booleanCodec(name: string, size: number): Codec {
  return {
    size,
    type: name,
    encode(value, view, offset, path) {
      if (typeof value !== 'boolean') throw invalidValue(path, value, 'true or false');
      writeInteger(view, offset, size, value ? 1n : 0n, true);
    },
    decode: (view, offset) => Number(readInteger(view, offset, size, false, true)) !== 0,
  };
}

type EnumType = Extract<NativeType, { kind: 'enum' }>;

/** Numbers and names of an enum. Two names of one number: the first is what is read. */
function enumerators(type: EnumType) {
  const numbers = new Map(type.values.map((entry) => [entry.name, BigInt(entry.value)]));
  const names = new Map<bigint, string>();
  for (const [name, number] of numbers) if (!names.has(number)) names.set(number, name);
  // Without the signedness flag (clang before 16) a negative number may as well be a large one.
  const signed = type.signed || type.values.some((entry) => entry.value < 0);
  return {
    signed,
    nameOf: (number: number | bigint): string | undefined => names.get(BigInt(number)),
    numberOf(value: unknown, bits: number, path: string): bigint {
      if (typeof value !== 'string') {
        const large =
          signed && !type.signed && (typeof value === 'number' || typeof value === 'bigint') && value > 0;
        return toInteger(value, bits, signed && !large, path);
      }
      const known = numbers.get(value);
      if (known !== undefined) return known;
      const all = [...numbers.keys()].join(', ');
      throw invalidValue(path, value, `an enumerator of enum ${type.name}: ${all}`);
    },
  };
}

export function enumCodec(type: EnumType): Codec {
  const { size } = type;
  const { signed, nameOf, numberOf } = enumerators(type);
  return {
    size,
    type: `enum ${type.name}`,
    encode(value, view, offset, path) {
      writeInteger(view, offset, size, numberOf(value, size * 8, path), true);
    },
    decode(view, offset): BpfValue {
      const number = readInteger(view, offset, size, signed, true);
      return nameOf(number) ?? number;
    },
  };
}

export function floatCodec(type: { readonly name: string; readonly size: number }): Codec {
  const { size } = type;
  return {
    size,
    type: type.name,
    encode(value, view, offset, path) {
      if (typeof value !== 'number') throw invalidValue(path, value, 'a number');
      if (size === 4) view.setFloat32(offset, value, true);
      else view.setFloat64(offset, value, true);
    },
    decode: (view, offset) => (size === 4 ? view.getFloat32(offset, true) : view.getFloat64(offset, true)),
  };
}

/** A bitfield: `bits` bits from bit `bitOffset` of the struct on, lowest first as on every little-endian target. */
export function bitfieldCodec(type: NativeType, bits: number, bitOffset: number): Codec {
  const names = type.kind === 'enum' ? enumerators(type) : undefined;
  const encoding = type.kind === 'int' ? type.encoding : 0;
  const signed = names?.signed ?? (encoding & INT_SIGNED) !== 0;
  const boolean = (encoding & INT_BOOL) !== 0;
  const firstByte = bitOffset >> 3;
  const shift = BigInt(bitOffset & 7);
  const bytes = Math.ceil(((bitOffset & 7) + bits) / 8);
  const mask = ((1n << BigInt(bits)) - 1n) << shift;
  const load = (view: DataView, offset: number): bigint => {
    let word = 0n;
    for (let i = bytes - 1; i >= 0; i--) word = (word << 8n) | BigInt(view.getUint8(offset + firstByte + i));
    return word;
  };
  return {
    size: 0,
    type: `${type.name}:${bits}`,
    encode(value, view, offset, path) {
      const number =
        names === undefined
          ? toInteger(typeof value === 'boolean' ? Number(value) : value, bits, signed, path)
          : toInteger(names.numberOf(value, bits, path), bits, signed, path);
      let word = (load(view, offset) & ~mask) | ((BigInt.asUintN(bits, number) << shift) & mask);
      for (let i = 0; i < bytes; i++, word >>= 8n)
        view.setUint8(offset + firstByte + i, Number(word & 0xffn));
    },
    decode(view, offset) {
      const word = (load(view, offset) & mask) >> shift;
      if (boolean) return word !== 0n;
      const number = signed ? BigInt.asIntN(bits, word) : word;
      return names?.nameOf(number) ?? (bits <= 32 ? Number(number) : number);
    },
  };
}
