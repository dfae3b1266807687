/** Maps of a loaded object: typed reading and writing from outside of the kernel. */
import { constants } from 'node:os';
import { describeValue, expectInteger, expectOptions, invalidArgument, XdpError } from '../errors.ts';
import { type NativeHandle, native } from '../native.ts';
import { isMapOfMaps, isPlainArray, type MapType, updateFlags } from './bpf-constants.ts';
import { type BpfValue, encodeInto } from './codec.ts';
import { checkIndex, decodeMapValue, descriptorBytes, encodeKey, encodeMapValue } from './map-bytes.ts';
import type { MapDefinition } from './map-definition.ts';
import { failed, unsupported, writeFailed } from './map-errors.ts';
import { isPath, MAX_PATH_BYTES } from './path.ts';
import { sumValues } from './per-cpu.ts';
import { programHandle, XdpProgram } from './program.ts';
import type { BpfInput } from './value-types.ts';

const { ENOENT, EAGAIN } = constants.errno;

/** Options of {@link XdpMap.set}. */
export interface SetOptions {
  /** `create`: the key must be new; `exist`: it must be there; `any` (the default): either. */
  readonly mode?: 'any' | 'create' | 'exist';
}

/** Options of {@link XdpMap.createInner}. */
export interface CreateInnerOptions {
  /** Only hash maps, and arrays with BPF_F_INNER_MAP, may differ from the definition here. */
  readonly maxEntries?: number;
}

/** The value of one CPU, of the type of all of them. */
type PerCpuElement<V> = V extends readonly (infer One)[] ? One : V;

let handleOf: (map: XdpMap<unknown, unknown>) => NativeHandle;
let definitionOf: (map: XdpMap<unknown, unknown>) => MapDefinition;

/** What a map is, for the rest of this room. */
export function mapDefinition(map: XdpMap<unknown, unknown>): MapDefinition {
  return definitionOf(map);
}

/** The descriptor of a map, for the other rooms. Throws `XDP_CLOSED`. */
export function mapHandle<K, V>(map: XdpMap<K, V>): NativeHandle {
  return handleOf(map as unknown as XdpMap<unknown, unknown>);
}

/**
 * A BPF map.
 *
 * Keys and values are typed by the object's BTF: integers of up to 4 bytes are numbers, of 8 bytes bigints; enums are
 * the names of their enumerators; structs are plain objects; `char` arrays are strings and `__u8` arrays Uint8Arrays.
 * `__be16/32/64` are numbers in host order. Where an address fits exactly, its text may be written. Every key and value
 * may also be written as its raw bytes. Values of per-CPU maps are arrays with one value for each possible CPU.
 *
 * All methods throw `XDP_CLOSED` after the object is closed and `XDP_MAP_OPERATION` where the map type lacks the
 * operation; bad keys and values throw `XDP_VALUE_INVALID` or `XDP_SIZE_MISMATCH` before any system call.
 */
export class XdpMap<K = BpfValue, V = BpfValue> {
  readonly name: string;
  readonly type: MapType;
  /** Bytes of a key, 0 for a map without keys. */
  readonly keySizeBytes: number;
  /** Bytes of one value, of one CPU in a per-CPU map. */
  readonly valueSizeBytes: number;
  readonly maxEntries: number;
  readonly #definition: MapDefinition;
  readonly #handle: NativeHandle;

  static {
    handleOf = (map) => map.#open();
    definitionOf = (map) => map.#definition;
  }

  /** @internal Maps are made by loading an object. */
  constructor(definition: MapDefinition, handle: NativeHandle) {
    this.name = definition.name;
    this.type = definition.type;
    this.keySizeBytes = definition.key?.size ?? 0;
    this.valueSizeBytes = definition.value.size;
    this.maxEntries = definition.maxEntries;
    this.#definition = definition;
    this.#handle = handle;
  }

  /** The value of a key, or undefined when there is none. In a map of maps an {@link XdpMap}, to be closed by the caller. */
  get(key: BpfInput<K>): V | undefined {
    const bytes = this.#lookup(key);
    return bytes === undefined ? undefined : this.#decodeValue(bytes, 0);
  }

  /** Whether the key is there. */
  has(key: BpfInput<K>): boolean {
    return this.#lookup(key) !== undefined;
  }

  /**
   * Writes one entry. A prog array takes an {@link XdpProgram} as the value, a map of maps an {@link XdpMap}.
   * @throws XdpError `XDP_MAP_FULL`, `XDP_NOT_FOUND` (mode `exist`), `XDP_VALUE_INVALID`
   */
  set(
    key: BpfInput<K>,
    value: BpfInput<V> | XdpProgram | XdpMap<BpfValue, BpfValue>,
    options?: SetOptions,
  ): this {
    const { mode = 'any' } = expectOptions(`map ${this.name}: set`, options, ['mode']);
    if (!Object.hasOwn(updateFlags, mode)) {
      throw invalidArgument(
        `map ${this.name}: mode must be any, create or exist, got ${describeValue(mode)}`,
      );
    }
    const result = native().mapUpdate(
      this.#open(),
      encodeKey(this.#definition, key),
      this.#encodeValue(value),
      updateFlags[mode],
    );
    if (result !== 0) throw writeFailed(this.#definition, -result, mode);
    return this;
  }

  /**
   * Writes many entries in one native call.
   * @throws XdpError as {@link XdpMap.set}; the message says how many were written before
   */
  setMany(entries: Iterable<readonly [BpfInput<K>, BpfInput<V>]>): this {
    const { key: keyCodec, valueBytes } = this.#definition;
    if (keyCodec === undefined) throw unsupported(this.#definition, 'setMany');
    if (typeof (entries as Partial<Iterable<unknown>> | null)?.[Symbol.iterator] !== 'function') {
      throw invalidArgument(
        `map ${this.name}: setMany needs an iterable of [key, value], got ${describeValue(entries)}`,
      );
    }
    const list = [...entries];
    if (list.length === 0) return this;
    const keys = new Uint8Array(list.length * keyCodec.size);
    const values = new Uint8Array(list.length * valueBytes);
    const keyView = new DataView(keys.buffer);
    list.forEach((entry: unknown, i) => {
      if (!Array.isArray(entry) || entry.length !== 2) {
        throw invalidArgument(
          `map ${this.name}: setMany: entry ${i} must be [key, value], got ${describeValue(entry)}`,
        );
      }
      encodeInto(keyCodec, entry[0], keyView, i * keyCodec.size, `map ${this.name}: key ${i}`);
      checkIndex(this.#definition, keyView, i * keyCodec.size);
      values.set(this.#encodeValue(entry[1]), i * valueBytes);
    });
    const { done, errno } = native().mapUpdateMany(this.#open(), keys, values, list.length, updateFlags.any);
    if (errno !== 0)
      throw writeFailed(this.#definition, errno, 'any', ` (${done} of ${list.length} entries were written)`);
    return this;
  }

  /** Deletes one entry; false when there was none. Entries of arrays cannot be deleted. */
  delete(key: BpfInput<K>): boolean {
    if (isPlainArray(this.type))
      throw unsupported(
        this.#definition,
        'delete',
        'its entries always exist: set one to zero, or clear() all',
      );
    const result = native().mapDelete(this.#open(), encodeKey(this.#definition, key));
    if (result === 0) return true;
    if (-result === ENOENT) return false;
    throw failed(this.#definition, 'deleting an entry', 'BPF_MAP_DELETE_ELEM', -result);
  }

  /** All keys, collected before this returns: deleting while going over them is safe. */
  keys(): K[] {
    const { bytes, count } = this.#rawKeys();
    const codec = this.#definition.key!;
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    return Array.from({ length: count }, (_, i) => codec.decode(view, i * codec.size) as K);
  }

  /** All entries, collected before this returns. */
  entries(): [K, V][] {
    this.#requireLookup();
    const { bytes, count } = this.#rawKeys();
    const { key, valueBytes } = this.#definition;
    const { values, found } = native().mapValues(this.#open(), bytes, count, valueBytes);
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const out: [K, V][] = [];
    for (let i = 0; i < count; i++) {
      // A key may have gone between the two walks.
      if (found[i] === 1)
        out.push([key!.decode(view, i * key!.size) as K, this.#decodeValue(values, i * valueBytes)]);
    }
    return out;
  }

  /** Removes all entries; an array's values become zero, a queue is emptied. */
  clear(): this {
    const { key, valueBytes } = this.#definition;
    if (this.type === 'queue' || this.type === 'stack') {
      while (this.pop() !== undefined);
      return this;
    }
    if (key === undefined) throw unsupported(this.#definition, 'clear');
    const { bytes, count } = this.#rawKeys();
    if (count === 0) return this;
    const { done, errno } = isPlainArray(this.type)
      ? native().mapUpdateMany(
          this.#open(),
          bytes,
          new Uint8Array(count * valueBytes),
          count,
          updateFlags.any,
        )
      : native().mapDeleteMany(this.#open(), bytes, count);
    if (errno !== 0)
      throw failed(this.#definition, `clearing (${done} of ${count} entries done)`, 'bpf', errno);
    return this;
  }

  /** The sum of a per-CPU value over all CPUs: of numbers, or member by member of a struct. */
  sum(key: BpfInput<K>): PerCpuElement<V> | undefined {
    if (this.#definition.cpuStride === 0)
      throw unsupported(this.#definition, 'sum', 'it is not per-CPU: use get');
    const values = this.get(key);
    if (values === undefined) return undefined;
    return sumValues(values as unknown as readonly BpfValue[], `map ${this.name}`) as PerCpuElement<V>;
  }

  /** Adds a value to a queue, a stack or a bloom filter. */
  push(value: BpfInput<V>): this {
    if (this.#definition.key !== undefined || this.type === 'ringbuf')
      throw unsupported(this.#definition, 'push');
    const result = native().mapPush(this.#open(), this.#encodeValue(value));
    if (result !== 0) throw writeFailed(this.#definition, -result, 'any');
    return this;
  }

  /** Takes the next value out of a queue or a stack; undefined when it is empty. */
  pop(): V | undefined {
    if (this.type !== 'queue' && this.type !== 'stack') throw unsupported(this.#definition, 'pop');
    const bytes = native().mapPop(this.#open(), this.#definition.valueBytes);
    if (typeof bytes !== 'number') return this.#decodeValue(bytes, 0);
    if (-bytes === ENOENT) return undefined;
    throw failed(this.#definition, 'taking an entry', 'BPF_MAP_LOOKUP_AND_DELETE_ELEM', -bytes);
  }

  /** Takes all records out of a ring buffer, each as its bytes (kernel 5.8). The way for a program to tell a test things. */
  drain(): Uint8Array[] {
    if (this.type !== 'ringbuf') throw unsupported(this.#definition, 'drain');
    const records = native().mapDrain(this.#open());
    if (typeof records !== 'number') return records;
    throw failed(this.#definition, 'draining', 'ring_buffer__consume', -records);
  }

  /**
   * Makes a new map as this map of maps takes them. It is not put into it yet (use `set`), and it lives until it is
   * closed and out of every map.
   */
  createInner(options?: CreateInnerOptions): XdpMap<BpfValue, BpfValue> {
    const { maxEntries } = expectOptions(`map ${this.name}: createInner`, options, ['maxEntries']);
    const inner = this.#innerDefinition('createInner');
    if (maxEntries !== undefined) expectInteger(`map ${this.name}: maxEntries`, maxEntries, 1, 0xffff_ffff);
    this.#open();
    const handle = native().mapCreate({
      type: inner.typeNumber,
      name: this.name.replaceAll(/\W/g, '_').slice(0, 15),
      keySize: inner.key?.size ?? 0,
      valueSize: inner.value.size,
      maxEntries: maxEntries ?? inner.maxEntries,
      flags: inner.flags,
    });
    if (typeof handle === 'number')
      throw failed(this.#definition, 'making an inner map', 'BPF_MAP_CREATE', -handle);
    return new XdpMap({ ...inner, maxEntries: maxEntries ?? inner.maxEntries }, handle);
  }

  /** Pins the map at a path in a bpf file system. Nothing else of this package ever pins anything by itself. */
  pin(path: string): void {
    if (!isPath(path)) {
      throw invalidArgument(
        `map ${this.name}: pin needs a path of 1 to ${MAX_PATH_BYTES} bytes, got ${describeValue(path)}`,
      );
    }
    const result = native().pin(this.#open(), path);
    if (result !== 0) throw failed(this.#definition, `pinning at ${path}`, 'BPF_OBJ_PIN', -result);
  }

  /** Closes this descriptor. An object closes its own maps; inner maps are closed by who made or got them. */
  close(): void {
    native().closeHandle(this.#handle);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #open(): NativeHandle {
    if (native().handleNumber(this.#handle) < 0) {
      throw new XdpError('XDP_CLOSED', `map ${this.name} was closed (or its object was)`);
    }
    return this.#handle;
  }

  #lookup(key: unknown): Uint8Array | undefined {
    this.#requireLookup();
    const handle = this.#open();
    const bytes = native().mapLookup(handle, encodeKey(this.#definition, key), this.#definition.valueBytes);
    if (typeof bytes !== 'number') return bytes;
    if (-bytes === ENOENT) return undefined;
    throw failed(this.#definition, 'reading an entry', 'BPF_MAP_LOOKUP_ELEM', -bytes);
  }

  #encodeValue(value: unknown): Uint8Array {
    if (this.type === 'prog_array') return descriptorBytes(this.#programDescriptor(value));
    if (isMapOfMaps(this.type)) return descriptorBytes(this.#mapDescriptor(value));
    return encodeMapValue(this.#definition, value);
  }

  #programDescriptor(value: unknown): number {
    if (!(value instanceof XdpProgram)) {
      throw new XdpError(
        'XDP_VALUE_INVALID',
        `map ${this.name}: a prog array takes an XdpProgram, got ${describeValue(value)}`,
      );
    }
    return native().handleNumber(programHandle(value));
  }

  #mapDescriptor(value: unknown): number {
    if (!(value instanceof XdpMap)) {
      throw new XdpError(
        'XDP_VALUE_INVALID',
        `map ${this.name}: a map of maps takes an XdpMap, got ${describeValue(value)}`,
      );
    }
    return native().handleNumber((value as XdpMap<unknown, unknown>).#open());
  }

  #decodeValue(bytes: Uint8Array, offset: number): V {
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    if (isMapOfMaps(this.type)) return this.#innerById(view.getUint32(offset, true)) as V;
    return decodeMapValue(this.#definition, view, offset) as V;
  }

  /** From outside, the kernel shows an inner map as its id. */
  #innerById(id: number): XdpMap<BpfValue, BpfValue> {
    const handle = native().mapById(id);
    if (typeof handle === 'number')
      throw failed(this.#definition, `opening the inner map with id ${id}`, 'BPF_MAP_GET_FD_BY_ID', -handle);
    // Made with a size of its own, perhaps: see createInner.
    const maxEntries = native().mapMaxEntries(handle);
    if (maxEntries < 0)
      throw failed(
        this.#definition,
        `reading the inner map with id ${id}`,
        'BPF_OBJ_GET_INFO_BY_FD',
        -maxEntries,
      );
    return new XdpMap({ ...this.#innerDefinition('get'), maxEntries }, handle);
  }

  #innerDefinition(operation: string): MapDefinition {
    if (!isMapOfMaps(this.type)) throw unsupported(this.#definition, operation, 'it is no map of maps');
    const { inner } = this.#definition;
    if (inner === undefined)
      throw unsupported(this.#definition, operation, 'the object does not define its inner maps');
    return inner;
  }

  #rawKeys(): { bytes: Uint8Array; count: number } {
    const { key, maxEntries } = this.#definition;
    if (key === undefined) throw unsupported(this.#definition, 'keys', 'it has none');
    const bytes = native().mapKeys(this.#open(), key.size, maxEntries);
    if (typeof bytes !== 'number') return { bytes, count: bytes.length / key.size };
    if (-bytes === EAGAIN) {
      throw new XdpError(
        'XDP_MAP_CHANGED',
        `map ${this.name} kept changing while its keys were read: read it when no packet runs`,
      );
    }
    throw failed(this.#definition, 'reading the keys', 'BPF_MAP_GET_NEXT_KEY', -bytes);
  }

  #requireLookup(): void {
    if (this.#definition.key === undefined) throw unsupported(this.#definition, 'get', 'it has no keys');
  }
}
