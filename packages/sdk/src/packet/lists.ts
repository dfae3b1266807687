/** Parts of variable length: raw bytes, lists of addresses, and lists of options of type, length and value. */
import { describeValue } from '../errors.ts';
import { type ListType, packetInvalid } from './header.ts';

/** Bytes, given as bytes or as text in UTF-8. They are copied, so that a layer keeps its value. */
export const bytesType: ListType = {
  name: 'bytes',
  zero: new Uint8Array(0),
  check(value, where) {
    if (typeof value === 'string') return new TextEncoder().encode(value);
    if (value instanceof Uint8Array) return new Uint8Array(value);
    throw packetInvalid(`${where} must be a Uint8Array or a string, got ${describeValue(value)}`);
  },
  read: (bytes, from, to) => bytes.subarray(from, to),
  sizeBytes: (value) => (value as Uint8Array).length,
  write: (bytes, from, value) => bytes.set(value as Uint8Array, from),
  format: (value) => formatBytes(value as Uint8Array),
};

/** Up to `limit` bytes in hex, with the length when there are more. */
export function formatBytes(bytes: Uint8Array, limit = 16): string {
  const shown = Array.from(bytes.subarray(0, limit), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  if (bytes.length > limit) return `${shown} ... (${bytes.length} bytes)`;
  return bytes.length === 0 ? '(empty)' : shown;
}

/** An entry of an option list. */
export type Entry = Readonly<Record<string, unknown> & { type: string }>;

/** How one list of options is written: all entries that can be told apart exactly, and `raw` for what is left over. */
export interface EntryRules {
  /** Reads the entry at `from` and says where it ends; undefined if the rest is damaged. */
  read(bytes: Uint8Array, from: number, to: number): { entry: Entry; end: number } | undefined;
  /** The bytes of an entry; undefined for an unknown type. Throws `XDP_PACKET_INVALID` for a bad value. */
  write(entry: Entry, where: string): readonly number[] | Uint8Array | undefined;
  /** The names of the entry types, for messages. */
  readonly types: readonly string[];
  /** Entries that bring a list of `size` bytes to the boundary that the header needs. */
  pad(size: number): readonly Entry[];
}

/** A list of options. What cannot be decoded is kept in a last `{ type: 'raw', bytes }`, so nothing is lost. */
export function optionsType(rules: EntryRules): ListType {
  const encode = (entry: Entry, where: string): readonly number[] | Uint8Array => {
    if (entry.type === 'raw') return bytesType.check(entry.bytes, `${where}.bytes`) as Uint8Array;
    const bytes = rules.write(entry, where);
    if (bytes !== undefined) return bytes;
    throw packetInvalid(
      `${where}: there is no option ${describeValue(entry.type)}; known are ${[...rules.types, 'raw'].join(', ')}`,
    );
  };
  const sizeBytes = (value: unknown) =>
    (value as readonly Entry[]).reduce((sum, entry) => sum + encode(entry, 'option').length, 0);
  return {
    name: 'options',
    zero: Object.freeze([]),
    check(value, where) {
      if (!Array.isArray(value))
        throw packetInvalid(`${where} must be an array of options, got ${describeValue(value)}`);
      let size = 0;
      const entries = value.map((entry: unknown, i) => {
        if (entry === null || typeof entry !== 'object')
          throw packetInvalid(`${where}[${i}] must be an object with a type, got ${describeValue(entry)}`);
        size += encode(entry as Entry, `${where}[${i}]`).length;
        return ownEntry(entry as Entry);
      });
      return Object.freeze([...entries, ...rules.pad(size).map(freezeEntry)]);
    },
    read(bytes, from, to) {
      if (from >= to) return NO_ENTRIES;
      const entries: Entry[] = [];
      for (let at = from; at < to; ) {
        const found = rules.read(bytes, at, to);
        const end = found?.end ?? to;
        entries.push(freezeEntry(found?.entry ?? { type: 'raw', bytes: bytes.subarray(at, to) }));
        at = end;
      }
      return Object.freeze(entries);
    },
    sizeBytes,
    write(bytes, from, value) {
      let at = from;
      for (const entry of value as readonly Entry[]) {
        const encoded = encode(entry, 'option');
        bytes.set(encoded, at);
        at += encoded.length;
      }
    },
    format: (value) => {
      const entries = value as readonly Entry[];
      return entries.length === 0 ? '(none)' : entries.map(formatEntry).join(', ');
    },
  };
}

const NO_ENTRIES: readonly Entry[] = Object.freeze([]);

/** A copy that nobody else can change. */
function ownEntry(entry: Entry): Entry {
  const own = Object.entries(entry).map(([name, value]) => {
    if (value instanceof Uint8Array) return [name, value.slice()];
    return [name, Array.isArray(value) ? value.map(ownItem) : value];
  });
  return freezeEntry(Object.fromEntries(own) as Entry);
}

function ownItem(item: unknown): unknown {
  return item !== null && typeof item === 'object' ? Object.freeze({ ...item }) : item;
}

function freezeEntry(entry: Entry): Entry {
  for (const value of Object.values(entry)) if (Array.isArray(value)) Object.freeze(value);
  return Object.freeze(entry);
}

function formatEntry(entry: Entry): string {
  const parts = Object.entries(entry).flatMap(([name, value]) => {
    if (name === 'type') return [];
    return [`${name}=${value instanceof Uint8Array ? formatBytes(value) : formatPlain(value)}`];
  });
  return parts.length === 0 ? entry.type : `${entry.type} ${parts.join(' ')}`;
}

function formatPlain(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatPlain).join(', ')}]`;
  if (value !== null && typeof value === 'object') return Object.values(value).map(formatPlain).join('-');
  return String(value);
}

/** A list of addresses of a fixed size each. */
export function addressesType(
  sizeBytes: number,
  parse: (text: string) => Uint8Array,
  print: (bytes: Uint8Array, offset: number) => string,
): ListType {
  return {
    name: 'addresses',
    zero: Object.freeze([]),
    check(value, where) {
      if (!Array.isArray(value))
        throw packetInvalid(`${where} must be an array of addresses, got ${describeValue(value)}`);
      return Object.freeze(value.map((address: unknown) => print(parse(address as string), 0)));
    },
    read(bytes, from, to) {
      const addresses: string[] = [];
      for (let at = from; at + sizeBytes <= to; at += sizeBytes) addresses.push(print(bytes, at));
      return Object.freeze(addresses);
    },
    sizeBytes: (value) => (value as readonly string[]).length * sizeBytes,
    write(bytes, from, value) {
      for (const [i, address] of (value as readonly string[]).entries())
        bytes.set(parse(address), from + i * sizeBytes);
    },
    format: (value) => `[${(value as readonly string[]).join(', ')}]`,
  };
}

/** The data of an entry of a type that is not decoded. */
export function entryData(value: unknown, where: string): Uint8Array {
  return bytesType.check(value, `${where}.data`) as Uint8Array;
}

/** Whole numbers of entries as bytes, most significant first, checked against their width. */
export function number(value: unknown, width: 1 | 2 | 4, where: string): number[] {
  const max = 2 ** (width * 8) - 1;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > max)
    throw packetInvalid(`${where} must be a whole number from 0 to ${max}, got ${describeValue(value)}`);
  const bytes: number[] = [];
  for (let shift = (width - 1) * 8; shift >= 0; shift -= 8) bytes.push(Math.floor(value / 2 ** shift) % 256);
  return bytes;
}
