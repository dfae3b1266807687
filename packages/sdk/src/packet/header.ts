/**
 * The tables that describe headers: fields one after the other, each with its width and the type of its value.
 * One table serves building, dissecting, comparing, showing and finding a field; no offset is written twice.
 */
import { describeValue, XdpError } from '../errors.ts';
import { formatIpv4, formatIpv6, formatMac, parseIpv4, parseIpv6, parseMac } from './addresses.ts';
import { readBig, readBits, writeBig, writeBits } from './bits.ts';

/** A layer seen as its fields, whatever its kind. */
export type Values = { readonly [field: string]: unknown };

/** What kind of value a field of fixed width holds. */
export interface ValueType {
  readonly name: string;
  readonly zero: unknown;
  /** The value in its one canonical form; throws `XDP_PACKET_INVALID` when it does not fit. */
  check(value: unknown, where: string, width: number): unknown;
  read(bytes: Uint8Array, bit: number, width: number): unknown;
  write(bytes: Uint8Array, bit: number, width: number, value: unknown): void;
  format(value: unknown, width: number): string;
}

/** A field of fixed width at a fixed place of its header. */
export interface Field {
  readonly name: string;
  readonly type: ValueType;
  /** Distance from the header's start, in bits. */
  readonly bit: number;
  /** Width in bits. */
  readonly width: number;
  /** Reads the field of the header that starts at byte `base`. */
  readonly read: (bytes: Uint8Array, base: number) => unknown;
}

/** What kind of value a part of variable length holds: a list of options, addresses, or just bytes. */
export interface ListType {
  readonly name: string;
  readonly zero: unknown;
  check(value: unknown, where: string): unknown;
  read(bytes: Uint8Array, from: number, to: number): unknown;
  sizeBytes(value: unknown): number;
  write(bytes: Uint8Array, from: number, value: unknown): void;
  format(value: unknown): string;
}

/** A part of variable length after the fixed fields. The last one reaches to the end of the header. */
export interface Tail {
  readonly name: string;
  readonly type: ListType;
  /** The length in bytes, for a tail that is not the last. */
  readonly lengthAt?: (bytes: Uint8Array, base: number) => number;
}

/** The description of one form of a header. */
export interface Table {
  readonly fields: readonly Field[];
  readonly tails: readonly Tail[];
  /** The names of all of them. */
  readonly names: ReadonlySet<string>;
  /** The length of the fixed part in bytes. */
  readonly length: number;
}

export function packetInvalid(message: string): XdpError {
  return new XdpError('XDP_PACKET_INVALID', message);
}

function wrong(where: string, wanted: string, value: unknown): XdpError {
  return packetInvalid(`${where} must be ${wanted}, got ${describeValue(value)}`);
}

function checkUint(value: unknown, where: string, width: number): number {
  const max = 2 ** width - 1;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > max)
    throw wrong(where, `a whole number from 0 to ${max}`, value);
  // -0 would be another value than 0 to a deep comparison.
  return value + 0;
}

/** A whole number, shown in decimal. */
export const uintType: ValueType = {
  name: 'uint',
  zero: 0,
  check: checkUint,
  read: readBits,
  write: (bytes, bit, width, value) => writeBits(bytes, bit, width, value as number),
  format: String,
};

/** A whole number, shown in hex. */
export const hexType: ValueType = {
  ...uintType,
  name: 'hex',
  format: (value, width) => `0x${(value as number).toString(16).padStart(Math.ceil(width / 4), '0')}`,
};

/** One bit as a boolean. */
export const flagType: ValueType = {
  name: 'flag',
  zero: false,
  check(value, where) {
    if (typeof value !== 'boolean') throw wrong(where, 'true or false', value);
    return value;
  },
  read: (bytes, bit) => ((bytes[bit >> 3]! >> (7 - (bit & 7))) & 1) === 1,
  write: (bytes, bit, _width, value) => writeBits(bytes, bit, 1, value === true ? 1 : 0),
  format: String,
};

/** A number of 64 bits as a bigint. */
export const bigType: ValueType = {
  name: 'uint64',
  zero: 0n,
  check(value, where, width) {
    if (typeof value !== 'bigint' || value < 0n || value >> BigInt(width) !== 0n)
      throw wrong(where, `a bigint from 0n to 2n ** ${width}n - 1n`, value);
    return value;
  },
  read: (bytes, bit, width) => readBig(bytes, bit >> 3, width),
  write: (bytes, bit, width, value) => writeBig(bytes, bit >> 3, width, value as bigint),
  format: String,
};

function addressType(
  name: string,
  zero: string,
  parse: (text: string) => Uint8Array,
  print: (bytes: Uint8Array, offset: number) => string,
): ValueType {
  return {
    name,
    zero,
    check(value, where) {
      try {
        return print(parse(value as string), 0);
      } catch (cause) {
        throw new XdpError('XDP_PACKET_INVALID', `${where}: ${(cause as Error).message}`, { cause });
      }
    },
    read: (bytes, bit) => print(bytes, bit >> 3),
    write: (bytes, bit, _width, value) => bytes.set(parse(value as string), bit >> 3),
    format: String,
  };
}

export const macType = addressType('mac', '00:00:00:00:00:00', parseMac, formatMac);
export const ipv4Type = addressType('ipv4', '0.0.0.0', parseIpv4, formatIpv4);
export const ipv6Type = addressType('ipv6', '::', parseIpv6, formatIpv6);

/** Named bits: the value is a number, and names in an array are accepted for it. */
export function bitsType(names: Readonly<Record<string, number>>): ValueType {
  return {
    ...uintType,
    name: 'bits',
    check(value, where, width) {
      if (!Array.isArray(value)) return checkUint(value, where, width);
      let bits = 0;
      for (const name of value) {
        const bit = names[String(name)];
        if (bit === undefined)
          throw packetInvalid(
            `${where}: there is no flag ${describeValue(name)}; known are ${Object.keys(names).join(', ')}`,
          );
        bits |= bit;
      }
      return bits;
    },
    format: (value) => {
      const set = Object.entries(names).filter(([, bit]) => ((value as number) & bit) !== 0);
      return set.length === 0 ? '0' : set.map(([name]) => name).join('|');
    },
  };
}

/** A field that has no place yet; `table()` gives it one. */
export interface FieldSpec<N extends string = string> {
  readonly name: N;
  readonly width: number;
  readonly type: ValueType;
}

export const uint = <N extends string>(name: N, width: number): FieldSpec<N> => ({
  name,
  width,
  type: uintType,
});
export const hex = <N extends string>(name: N, width: number): FieldSpec<N> => ({
  name,
  width,
  type: hexType,
});
export const flag = <N extends string>(name: N): FieldSpec<N> => ({ name, width: 1, type: flagType });
export const mac = <N extends string>(name: N): FieldSpec<N> => ({ name, width: 48, type: macType });
export const ip4 = <N extends string>(name: N): FieldSpec<N> => ({ name, width: 32, type: ipv4Type });
export const ip6 = <N extends string>(name: N): FieldSpec<N> => ({ name, width: 128, type: ipv6Type });

/** Lays fields out one after the other. `L` is the layer that the table describes: its fields must be known there. */
export function table<L>(
  fields: readonly FieldSpec<Extract<keyof L, string>>[],
  tails: readonly Tail[] = [],
): Table {
  let bit = 0;
  const placed = fields.map(({ name, width, type }): Field => {
    const field = { name, width, type, bit, read: reader(type, bit, width) };
    bit += width;
    return field;
  });
  if (bit % 8 !== 0) throw new Error(`a header of ${bit} bits`);
  const names = new Set([...placed, ...tails].map(({ name }) => name));
  return { fields: placed, tails, names, length: bit / 8 };
}

/** Whole bytes are by far the most common fields, and reading them must not go through the general code. */
function reader(type: ValueType, bit: number, width: number): Field['read'] {
  const at = bit >> 3;
  if (type.read === readBits && bit % 8 === 0) {
    if (width === 8) return (bytes, base) => bytes[base + at];
    if (width === 16) return (bytes, base) => (bytes[base + at]! << 8) | bytes[base + at + 1]!;
    if (width === 32)
      return (bytes, base) =>
        ((bytes[base + at]! << 24) |
          (bytes[base + at + 1]! << 16) |
          (bytes[base + at + 2]! << 8) |
          bytes[base + at + 3]!) >>>
        0;
  }
  const above = bit & 7;
  if (type.read === readBits && above + width <= 8) {
    const shift = 8 - above - width;
    const mask = (1 << width) - 1;
    return (bytes, base) => (bytes[base + at]! >> shift) & mask;
  }
  if (type.read === readBits && above + width <= 16) {
    const shift = 16 - above - width;
    const mask = (1 << width) - 1;
    return (bytes, base) => (((bytes[base + at]! << 8) | bytes[base + at + 1]!) >> shift) & mask;
  }
  return (bytes, base) => type.read(bytes, base * 8 + bit, width);
}
