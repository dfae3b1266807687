/**
 * The lookup table of Maglev hashing: Eisenbud et al., "Maglev: A Fast and Reliable Software Network Load Balancer",
 * NSDI 2016, section 3.4.
 */
import { createHash } from 'node:crypto';

/** As in lb.bpf.c. A prime, so that every skip visits every slot. */
export const MAGLEV_SIZE = 65_537;

/**
 * Fills a table with the indexes of backends. Each backend walks the slots in an order of its own, which its name alone
 * decides, and the backends take turns in claiming the next free one of their order. So all get the same number of slots,
 * give or take one, and few slots change hands when a backend comes or goes.
 *
 * @param names of the backends, each once: what identifies them from one table to the next, such as their addresses
 */
export function maglevTable(names: readonly string[], size = MAGLEV_SIZE): Uint32Array {
  if (names.length === 0 || names.length > size) {
    throw new RangeError(`a table of ${size} slots is for 1 to ${size} backends, got ${names.length}`);
  }
  if (new Set(names).size < names.length) throw new RangeError('two backends have the same name');
  // By name, so that every balancer gets the same table in whatever order it was told the backends.
  const turns = names
    .map((name, index) => ({ name, index, ...orderOf(name, size) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const EMPTY = 0xffff_ffff;
  const table = new Uint32Array(size).fill(EMPTY);
  for (let filled = 0; ; ) {
    for (const turn of turns) {
      while (table[turn.next] !== EMPTY) turn.next = (turn.next + turn.skip) % size;
      table[turn.next] = turn.index;
      filled += 1;
      if (filled === size) return table;
    }
  }
}

function orderOf(name: string, size: number): { next: number; skip: number } {
  const digest = createHash('sha256').update(name).digest();
  return { next: digest.readUInt32LE(0) % size, skip: (digest.readUInt32LE(4) % (size - 1)) + 1 };
}
