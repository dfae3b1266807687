/** Counts by key in the shapes that callers have: a Map, a record, an array. */
import { describeValue, invalidArgument } from '../errors.ts';

/** A number; also a bigint, which is what a 64-bit counter of a BPF map is. */
export type NumberLike = number | bigint;

/** Numbers by key. The keys of an array are its indices. */
export type Counts<K> =
  | ReadonlyMap<K, NumberLike>
  | ArrayLike<NumberLike>
  | Readonly<Record<string, NumberLike>>;

/** The counts as a new Map in the same order, each value checked by `check`. */
export function readCounts<K>(
  what: string,
  counts: Counts<K>,
  check: (name: string, value: unknown) => number,
): Map<K, number> {
  const result = new Map<K, number>();
  for (const [key, value] of entriesOf(what, counts)) {
    result.set(key as K, check(`${what} of ${labelOf(key)}`, value));
  }
  return result;
}

function entriesOf(what: string, counts: unknown): Iterable<[unknown, unknown]> {
  if (counts instanceof Map) return counts;
  if (Array.isArray(counts)) return counts.entries();
  if (ArrayBuffer.isView(counts) && !(counts instanceof DataView)) {
    return Array.from(counts as unknown as ArrayLike<NumberLike>).entries();
  }
  if (counts !== null && typeof counts === 'object' && !(Symbol.iterator in counts)) {
    return Object.entries(counts);
  }
  throw invalidArgument(`${what}s must be a Map, an array or a record, got ${describeValue(counts)}`);
}

/** How a key is shown: structured keys, as BPF maps have them, as JSON. */
export function labelOf(key: unknown): string {
  if (key === null || typeof key !== 'object') return String(key);
  return JSON.stringify(key, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}
