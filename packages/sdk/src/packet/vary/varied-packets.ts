/** Many packets out of few templates, made where they are needed and never as objects. */
import { expectInteger, invalidArgument, XdpError } from '../../errors.ts';
import { MAX_BATCH_BYTES, PacketBatch, sharedBuffer } from '../packet-batch.ts';
import { distinctCombinations, type Generator, makeGenerators } from './generate.ts';
import { type BlockLayout, bareTemplate, type Columns, compileTemplate, type Pass } from './program.ts';
import type { VaryRecipe } from './recipe.ts';

/** A block's bytes stay within the first-level cache, or nearly. */
const BLOCK_BYTES = 32 * 1024;

/**
 * Packets made by a recipe. Packet `i` depends on the recipe and `i` alone, so threads can each make their own share:
 * send them `recipe`, and let them use {@link VariedPackets.fromRecipe} and {@link VariedPackets.fill}.
 */
export class VariedPackets implements Iterable<Uint8Array> {
  /** The number of packets. */
  readonly length: number;
  /** All that it takes to make the packets: plain data, for `postMessage` and `structuredClone`. */
  readonly recipe: VaryRecipe;
  /**
   * So many packets in a row certainly differ in the fields that count (`range`, `sequence`, `list`). It is at most
   * `length`. Values from `random` are not counted on.
   */
  readonly distinct: number;

  readonly #cycle: Cycle;
  readonly #blockSize: number;
  readonly #generators: readonly Generator[];
  readonly #programs: readonly (readonly Pass[])[];
  readonly #columns: Columns;
  readonly #starts: Int32Array;

  private constructor(recipe: VaryRecipe) {
    this.recipe = recipe;
    this.length = recipe.count;
    this.distinct = Math.min(recipe.count, distinctCombinations(recipe.generators));
    const mean = recipe.templates.reduce((sum, { bytes }) => sum + bytes.length, 0) / recipe.templates.length;
    this.#blockSize = Math.min(1024, Math.max(16, Math.floor(BLOCK_BYTES / Math.max(1, mean))));
    this.#cycle = makeCycle(recipe, this.#blockSize);
    this.#generators = makeGenerators(recipe.generators, this.#blockSize);
    this.#programs = recipe.templates.map((template) => compileTemplate(template, this.#blockSize));
    this.#columns = recipe.templates[0]!.fields.map((parts) =>
      parts.map(() => new Uint32Array(this.#blockSize)),
    );
    this.#starts = new Int32Array(this.#blockSize);
    fillStarts(this.#starts, this.#blockSize, 0, this.#cycle.position);
  }

  /** The packets of a recipe that came from another thread. */
  static fromRecipe(recipe: VaryRecipe): VariedPackets {
    if (recipe === null || typeof recipe !== 'object' || recipe.version !== 1) {
      throw invalidArgument('VariedPackets.fromRecipe: this is no recipe of version 1');
    }
    return new VariedPackets(recipe);
  }

  /** How many bytes packets `from` up to, not including, `to` have in all. */
  byteLength(from = 0, to = this.length): number {
    this.#expectSpan(from, to);
    return this.#cycle.position(to) - this.#cycle.position(from);
  }

  /** A batch of packets `from` up to, not including, `to`; by default of all. */
  toBatch(from = 0, to = this.length): PacketBatch {
    const size = this.byteLength(from, to);
    if (size > MAX_BATCH_BYTES) {
      throw new XdpError(
        'XDP_BATCH_TOO_LARGE',
        `a batch holds at most ${MAX_BATCH_BYTES} bytes of packets, these have ${size}: make several, toBatch(from, to)`,
      );
    }
    const bytes = new Uint8Array(sharedBuffer(size));
    const offsets = new Uint32Array(sharedBuffer((to - from) * 4));
    const lengths = new Uint32Array(sharedBuffer((to - from) * 4));
    this.fill(bytes, offsets, lengths, from, to, 0, 0);
    return new PacketBatch(bytes, offsets, lengths);
  }

  /** One packet; negative counts from the end; undefined outside. */
  at(index: number): Uint8Array | undefined {
    const i = index < 0 ? this.length + index : index;
    return Number.isInteger(i) && i >= 0 && i < this.length ? this.toBatch(i, i + 1).at(0) : undefined;
  }

  *[Symbol.iterator](): Iterator<Uint8Array> {
    for (let from = 0; from < this.length; from += this.#blockSize) {
      yield* this.toBatch(from, Math.min(this.length, from + this.#blockSize));
    }
  }

  /**
   * Writes packets `from` up to, not including, `to` into columns that exist: the bytes, and where each packet starts
   * and how long it is. By default each goes where it would be in a batch of all; a batch of these packets alone has
   * its first one at `slot` 0 and byte `at` 0.
   */
  fill(
    bytes: Uint8Array,
    offsets: Uint32Array,
    lengths: Uint32Array,
    from: number,
    to: number,
    slot = from,
    at?: number,
  ): void {
    const size = this.byteLength(from, to);
    const start = at ?? this.#cycle.position(from);
    expectInteger('fill: slot', slot, 0, Math.min(offsets.length, lengths.length) - (to - from));
    expectInteger('fill: at', start, 0, bytes.length - size);
    let position = start;
    for (let index = from; index < to; index += this.#blockSize) {
      const count = Math.min(this.#blockSize, to - index);
      const size = this.#block(bytes, position, index, count);
      const first = slot + index - from;
      this.#describe(offsets, lengths, first, count, position, index);
      position += size;
    }
  }

  /** One block: bare templates, then the columns of values, then the passes that write them. */
  #block(bytes: Uint8Array, at: number, index: number, count: number): number {
    const { expanded, templates, position } = this.#cycle;
    const phase = index % templates;
    const size = position(index + count) - position(index);
    const block = bytes.subarray(at, at + size);
    block.set(expanded.subarray(position(phase), position(phase) + size));
    for (const [f, generate] of this.#generators.entries()) generate(index, count, this.#columns[f]!);
    if (templates > 1) fillStarts(this.#starts, count, phase, position);
    for (const [t, passes] of this.#programs.entries()) {
      const first = (t - phase + templates) % templates;
      const layout: BlockLayout = { starts: this.#starts, first, stride: templates, count };
      for (const pass of passes) pass(block, layout, this.#columns);
    }
    return size;
  }

  #describe(
    offsets: Uint32Array,
    lengths: Uint32Array,
    slot: number,
    count: number,
    at: number,
    index: number,
  ): void {
    const { lengths: sizes, templates } = this.#cycle;
    const starts = this.#starts;
    for (let j = 0; j < count; j++) {
      offsets[slot + j] = at + starts[j]!;
      lengths[slot + j] = templates === 1 ? sizes[0]! : sizes[(index + j) % templates]!;
    }
  }

  #expectSpan(from: number, to: number): void {
    expectInteger('from', from, 0, this.length);
    expectInteger('to', to, from, this.length);
  }
}

/** Where packets start in a block whose first one has template `phase`. */
function fillStarts(
  starts: Int32Array,
  count: number,
  phase: number,
  position: (index: number) => number,
): void {
  const origin = position(phase);
  for (let j = 0; j < count; j++) starts[j] = position(phase + j) - origin;
}

/** The templates in turn, bare and one after the other, for more than a block from any of them on. */
interface Cycle {
  readonly templates: number;
  readonly lengths: readonly number[];
  readonly expanded: Uint8Array;
  /** The first byte of packet `index` in a batch of all. */
  readonly position: (index: number) => number;
}

function makeCycle({ templates }: VaryRecipe, blockSize: number): Cycle {
  const lengths = templates.map(({ bytes }) => bytes.length);
  const starts = [0];
  for (const length of lengths) starts.push(starts.at(-1)! + length);
  const period = starts.pop()!;
  const repeats = Math.ceil(blockSize / templates.length) + 1;
  const expanded = new Uint8Array(period * repeats);
  for (let r = 0; r < repeats; r++) {
    for (const [t, template] of templates.entries())
      expanded.set(bareTemplate(template), r * period + starts[t]!);
  }
  const position =
    templates.length === 1
      ? (index: number) => index * period
      : (index: number) => Math.floor(index / templates.length) * period + starts[index % templates.length]!;
  return { templates: templates.length, lengths, expanded, position };
}
