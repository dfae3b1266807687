/** Counts byte strings of one length that stand in a buffer, without making a value of any of them. */

/** Open addressing: 0 is an empty slot, otherwise the number of an entry, from 1 on. */
const FIRST_SLOTS = 1024;

/** A hash table from byte strings, each kept by where the first one of its kind stands, to their counts. */
export class ByteCounts {
  readonly #bytes: Uint8Array;
  readonly #width: number;
  #slots = new Int32Array(FIRST_SLOTS);
  #at = new Float64Array(FIRST_SLOTS);
  #counts = new Float64Array(FIRST_SLOTS);
  #entries = 0;

  constructor(bytes: Uint8Array, widthBytes: number) {
    this.#bytes = bytes;
    this.#width = widthBytes;
  }

  /** Counts the string that starts at `at`. */
  add(at: number): void {
    const bytes = this.#bytes;
    const width = this.#width;
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hash(bytes, at, width) & mask;
    for (let entry = slots[slot]!; entry !== 0; slot = (slot + 1) & mask, entry = slots[slot]!) {
      if (same(bytes, this.#at[entry]!, at, width)) {
        this.#counts[entry]! += 1;
        return;
      }
    }
    this.#entries += 1;
    slots[slot] = this.#entries;
    this.#at[this.#entries] = at;
    this.#counts[this.#entries] = 1;
    if (this.#entries * 2 >= slots.length) this.#grow();
  }

  /** Where each string stands first, and how often it was counted. */
  *entries(): Generator<{ readonly at: number; readonly count: number }> {
    for (let entry = 1; entry <= this.#entries; entry++) {
      yield { at: this.#at[entry]!, count: this.#counts[entry]! };
    }
  }

  #grow(): void {
    const size = this.#slots.length * 4;
    const mask = size - 1;
    const slots = new Int32Array(size);
    for (let entry = 1; entry <= this.#entries; entry++) {
      let slot = hash(this.#bytes, this.#at[entry]!, this.#width) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = entry;
    }
    this.#slots = slots;
    this.#at = grown(this.#at, size);
    this.#counts = grown(this.#counts, size);
  }
}

function grown(from: Float64Array, size: number): Float64Array<ArrayBuffer> {
  const to = new Float64Array(size);
  to.set(from);
  return to;
}

/** FNV-1a, its high bits folded in: fields differ in their last bytes most of all. */
function hash(bytes: Uint8Array, at: number, width: number): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < width; i++) h = Math.imul(h ^ bytes[at + i]!, 0x01000193);
  return h ^ (h >>> 15);
}

function same(bytes: Uint8Array, a: number, b: number, width: number): boolean {
  for (let i = 0; i < width; i++) if (bytes[a + i] !== bytes[b + i]) return false;
  return true;
}
