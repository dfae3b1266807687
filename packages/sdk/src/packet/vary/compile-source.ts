/** A source of values for a certain field, as numbers. */
import { describeValue, invalidArgument } from '../../errors.ts';
import type { FieldPlace } from '../fields.ts';
import { keyOf } from './hash.ts';
import type { GeneratorRecipe } from './recipe.ts';
import type { FieldSource, FieldValueInput, RandomSource, RangeSource, SequenceSource } from './sources.ts';

/** Positions above are never reached: packets have 32-bit numbers. */
const MAX_POSITIONS = 2 ** 32;

/** A row of values: `size` of them from `base` on. */
interface Interval {
  readonly base: bigint;
  readonly size: bigint;
}

export function compileSource(source: FieldSource, place: FieldPlace, template: Uint8Array): GeneratorRecipe {
  switch (source?.kind) {
    case 'range':
      return compileRange(source, place);
    case 'sequence':
      return compileSequence(source, place, template);
    case 'random':
      return compileRandom(source, place);
    case 'list':
      return compileList(source.values, place);
    default:
      throw invalidArgument(
        `${place.path}: expected range(), sequence(), random() or list(), got ${describeValue(source)}`,
      );
  }
}

function compileRange({ from, to, shuffle }: RangeSource, place: FieldPlace): GeneratorRecipe {
  const { base, size } = to === undefined ? prefixOf(from as string, place) : between(from, to, place);
  if (shuffle !== undefined && size > MAX_POSITIONS) {
    throw invalidArgument(`${place.path}: a range of more than 2^32 values cannot be shuffled; use random()`);
  }
  return {
    kind: 'count',
    base: wordsOf(base, place.widthBits),
    step: 1,
    size: positions(size),
    shuffle: shuffle === undefined ? undefined : keyOf(shuffle, `${place.path} shuffled`),
  };
}

function compileSequence(
  { from, to, step }: SequenceSource,
  place: FieldPlace,
  template: Uint8Array,
): GeneratorRecipe {
  const first = bitsOf(from ?? (place.read(template) as FieldValueInput), place);
  const last = to !== undefined ? bitsOf(to, place) : step > 0 ? maximum(place) : 0n;
  const distance = step > 0 ? last - first : first - last;
  if (distance < 0n) {
    throw invalidArgument(
      `${place.path}: a sequence with step ${step} does not get from its first value to its last`,
    );
  }
  const size = positions(distance / BigInt(Math.abs(step)) + 1n);
  if (Math.min(size, MAX_POSITIONS) * Math.abs(step) > Number.MAX_SAFE_INTEGER) {
    throw invalidArgument(
      `${place.path}: step ${step} is too large for a sequence that does not end before 2^53`,
    );
  }
  return { kind: 'count', base: wordsOf(first, place.widthBits), step, size, shuffle: undefined };
}

function compileRandom({ seed, prefix, from, to }: RandomSource, place: FieldPlace): GeneratorRecipe {
  const { base, size } =
    prefix === undefined ? between(from ?? 0, to ?? maximum(place), place) : prefixOf(prefix, place);
  const words = wordsOf(base, place.widthBits);
  const key = keyOf(seed, place.path);
  const isPower = (size & (size - 1n)) === 0n;
  if (isPower && (base & (size - 1n)) === 0n) {
    return { kind: 'mask', seed: key, base: words, mask: wordsOf(size - 1n, place.widthBits) };
  }
  if (size > Number.MAX_SAFE_INTEGER) {
    throw invalidArgument(`${place.path}: a random value out of more than 2^53 needs a prefix, not a range`);
  }
  return { kind: 'below', seed: key, base: words, size: Number(size) };
}

function compileList(values: readonly FieldValueInput[], place: FieldPlace): GeneratorRecipe {
  const bits = values.map((value) => bitsOf(value, place));
  return {
    kind: 'list',
    values: Uint32Array.from(bits.flatMap((value) => wordsOf(value, place.widthBits))),
    size: bits.length,
    cycle: new Set(bits).size < bits.length,
  };
}

function prefixOf(text: string, place: FieldPlace): Interval {
  const slash = text.indexOf('/');
  const length = text.slice(slash + 1);
  if (!/^\d{1,3}$/.test(length) || Number(length) > place.widthBits) {
    throw invalidArgument(
      `${place.path}: the prefix ${text} must have a length from 0 to ${place.widthBits}`,
    );
  }
  const size = 1n << BigInt(place.widthBits - Number(length));
  const address = bitsOf(text.slice(0, slash), place);
  return { base: address & ~(size - 1n), size };
}

function between(from: FieldValueInput, to: FieldValueInput, place: FieldPlace): Interval {
  const base = bitsOf(from, place);
  const last = bitsOf(to, place);
  if (last < base) {
    throw invalidArgument(
      `${place.path}: the range ends (${describeValue(to)}) before it starts (${describeValue(from)})`,
    );
  }
  return { base, size: last - base + 1n };
}

function maximum(place: FieldPlace): bigint {
  return (1n << BigInt(place.widthBits)) - 1n;
}

/** A value as the number that its bits make; numbers are taken as that already, whatever the field. */
function bitsOf(value: FieldValueInput, place: FieldPlace): bigint {
  if (typeof value !== 'number' && typeof value !== 'bigint') return BigInt(place.toBits(value));
  const bits = typeof value === 'bigint' || Number.isSafeInteger(value) ? BigInt(value) : -1n;
  if (bits < 0n || bits > maximum(place)) {
    throw invalidArgument(
      `${place.path} must be a whole number from 0 to 2^${place.widthBits} - 1, got ${describeValue(value)}`,
    );
  }
  return bits;
}

/** Words of 32 bits, the most significant first; that one has what is left of the width. */
function wordsOf(value: bigint, widthBits: number): number[] {
  const words: number[] = [];
  for (let rest = value, width = widthBits; width > 0; width -= 32) {
    words.unshift(Number(rest & 0xffff_ffffn));
    rest >>= 32n;
  }
  return words;
}

function positions(size: bigint): number {
  return size > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : Number(size);
}
