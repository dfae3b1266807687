/** Snapshots of what an object holds: the contents of its maps and its variables, in raw bytes. */
import { constants } from 'node:os';
import { invalidArgument, XdpError } from '../errors.ts';
import { systemError } from '../kernel/index.ts';
import { type NativeHandle, native } from '../native.ts';
import { isPlainArray, type MapType, updateFlags } from './bpf-constants.ts';
import { mapDefinition, mapHandle, type XdpMap } from './map.ts';
import type { MapDefinition } from './map-definition.ts';

/** The entries of one map, or the values of a queue. */
interface MapContents {
  readonly map: XdpMap<unknown, unknown>;
  readonly definition: MapDefinition;
  readonly keys: Uint8Array;
  readonly values: Uint8Array;
  readonly count: number;
}

/** The variables of one section, all in one value. */
interface SectionContents {
  readonly name: string;
  readonly handle: NativeHandle;
  readonly bytes: Uint8Array;
}

/** A section of variables that can change: its map in the kernel, of one value. */
export interface Section {
  readonly name: string;
  readonly handle: NativeHandle;
  readonly size: number;
}

/**
 * Kinds of map whose entries hold data. What a program cannot write to (prog arrays, maps of maps, dev-, cpu- and
 * xskmaps) changes by the test's own hand alone, and holds descriptors, which reading does not give back.
 */
const withEntries: ReadonlySet<MapType> = new Set([
  'hash',
  'array',
  'percpu_hash',
  'percpu_array',
  'lru_hash',
  'lru_percpu_hash',
  'lpm_trie',
]);
const ENOENT = constants.errno.ENOENT;
const NO_BYTES = new Uint8Array();

let contentsOf: (snapshot: ObjectSnapshot) => Contents;

interface Contents {
  /** The object that it is of. */
  readonly object: object;
  readonly maps: readonly MapContents[];
  readonly sections: readonly SectionContents[];
}

/**
 * What an object held at one moment; made by `XdpObject.snapshot`.
 *
 * It has the maps of the kinds that hold data (hash, array, their LRU and per-CPU variants, LPM tries) and the variables
 * of .data and .bss. Ring buffers, queues and stacks are emptied by a restore; bloom filters and maps of programs, maps
 * and devices are left alone.
 */
export class ObjectSnapshot {
  readonly #contents: Contents;

  static {
    contentsOf = (snapshot) => snapshot.#contents;
  }

  /** @internal */
  constructor(contents: Contents) {
    this.#contents = contents;
    Object.freeze(this);
  }
}

export function takeSnapshot(
  object: object,
  maps: readonly XdpMap[],
  sections: readonly Section[],
): ObjectSnapshot {
  return new ObjectSnapshot({
    object,
    maps: maps.map((one): MapContents => {
      const map = one as unknown as XdpMap<unknown, unknown>;
      const definition = mapDefinition(map);
      if (!withEntries.has(map.type)) return { map, definition, keys: NO_BYTES, values: NO_BYTES, count: 0 };
      return { map, definition, ...readEntries(map, definition) };
    }),
    sections: sections.map(({ name, handle, size }) => ({ name, handle, bytes: memory(name, handle, size) })),
  });
}

/** Puts everything back. Entries that are as they were are not written. */
export function restoreSnapshot(object: object, snapshot: ObjectSnapshot): void {
  if (!(snapshot instanceof ObjectSnapshot) || contentsOf(snapshot).object !== object) {
    throw invalidArgument('restore: expected a snapshot of this very object');
  }
  const { maps, sections } = contentsOf(snapshot);
  for (const contents of maps) restoreMap(contents);
  for (const { name, handle, bytes } of sections) memory(name, handle, bytes.length, bytes);
}

function restoreMap({ map, definition, keys, values, count }: MapContents): void {
  if (map.type === 'queue' || map.type === 'stack') map.clear();
  else if (map.type === 'ringbuf') map.drain();
  if (!withEntries.has(map.type)) return;
  // The keys of an array are always the same.
  const now = readEntries(map, definition, isPlainArray(map.type) ? keys : undefined);
  // The kernel walks a map in the same order as long as no key came or went.
  if (sameBytes(now.keys, keys) && sameBytes(now.values, values)) return;
  const keySize = definition.key!.size;
  if (!isPlainArray(map.type)) {
    const kept = new Set(Array.from({ length: count }, (_, i) => keyText(keys, i, keySize)));
    for (let i = 0; i < now.count; i++) {
      if (!kept.has(keyText(now.keys, i, keySize)))
        remove(map, now.keys.subarray(i * keySize, (i + 1) * keySize));
    }
  }
  const { done, errno } = native().mapUpdateMany(mapHandle(map), keys, values, count, updateFlags.any);
  if (errno !== 0) {
    throw systemError(
      `map ${map.name}: restoring entry ${done + 1} of ${count}`,
      'BPF_MAP_UPDATE_ELEM',
      errno,
    );
  }
}

function remove(map: XdpMap<unknown, unknown>, key: Uint8Array): void {
  const result = -native().mapDelete(mapHandle(map), key.slice());
  // An LRU map may have dropped it meanwhile.
  if (result !== 0 && result !== ENOENT)
    throw systemError(`map ${map.name}: restoring`, 'BPF_MAP_DELETE_ELEM', result);
}

function readEntries(
  map: XdpMap<unknown, unknown>,
  { key, valueBytes, maxEntries }: MapDefinition,
  knownKeys?: Uint8Array,
): { readonly keys: Uint8Array; readonly values: Uint8Array; readonly count: number } {
  const handle = mapHandle(map);
  const keys = knownKeys ?? native().mapKeys(handle, key!.size, maxEntries);
  if (typeof keys === 'number') {
    throw systemError(`map ${map.name}: reading its keys`, 'BPF_MAP_GET_NEXT_KEY', -keys);
  }
  const count = keys.length / key!.size;
  const { values, found } = native().mapValues(handle, keys, count, valueBytes);
  if (found.every((one) => one === 1)) return { keys, values, count };
  throw new XdpError(
    'XDP_MAP_CHANGED',
    `map ${map.name} changed while it was read: take snapshots and restore them when no packet runs`,
  );
}

/** Reads a section's variables, or writes `bytes` over them. */
function memory(name: string, handle: NativeHandle, size: number, bytes?: Uint8Array): Uint8Array {
  const result = native().mapMemory(handle, size, 0, size, bytes);
  if (typeof result === 'number') throw systemError(`the variables of ${name}`, 'mmap', -result);
  return result;
}

function keyText(keys: Uint8Array, index: number, size: number): string {
  return Buffer.from(keys.buffer, keys.byteOffset + index * size, size).toString('latin1');
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
