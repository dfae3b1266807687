/** From indices of packets to the values of fields, a column at a time. */
import { halfBits, permute, randomBelow, randomBits } from './hash.ts';
import { type Digit, digitsOf, fillPositions } from './odometer.ts';
import type { GeneratorRecipe } from './recipe.ts';

/** Writes the values for `count` packets from `index` on: one column for each part of the field. */
export type Generator = (index: number, count: number, columns: readonly Uint32Array[]) => void;

/** The generators of all fields. Those that count do so together; see odometer.ts. */
export function makeGenerators(recipes: readonly GeneratorRecipe[], blockSize: number): Generator[] {
  const { digits } = digitsOf(recipes.filter(isDigit).map(({ size }) => size));
  const scratch = new Float64Array(blockSize);
  let next = 0;
  return recipes.map((recipe) =>
    makeGenerator(recipe, isDigit(recipe) ? digits[next++]! : undefined, scratch),
  );
}

/** How many packets from any one on differ for certain in the fields that count. */
export function distinctCombinations(recipes: readonly GeneratorRecipe[]): number {
  return digitsOf(recipes.filter(isDigit).map(({ size }) => size)).combinations;
}

/** A list in which a value comes twice says how often, and promises nothing: it goes round on its own. */
function isDigit(recipe: GeneratorRecipe): recipe is GeneratorRecipe & { kind: 'count' | 'list' } {
  return recipe.kind === 'count' || (recipe.kind === 'list' && !recipe.cycle);
}

function makeGenerator(recipe: GeneratorRecipe, digit: Digit | undefined, scratch: Float64Array): Generator {
  switch (recipe.kind) {
    case 'count': {
      const { base, step, shuffle, size } = recipe;
      const half = halfBits(size);
      return (index, count, columns) => {
        fillPositions(digit!, index, count, scratch);
        if (shuffle !== undefined) {
          for (let j = 0; j < count; j++) scratch[j] = permute(shuffle, scratch[j]!, size, half);
        }
        addScaled(base, step, count, scratch, columns);
      };
    }
    case 'list': {
      const { values, size } = recipe;
      const own = digit ?? { size, lap: Number.POSITIVE_INFINITY, cycle: size };
      return (index, count, columns) => {
        fillPositions(own, index, count, scratch);
        const words = columns.length;
        for (const [word, column] of columns.entries()) {
          for (let j = 0; j < count; j++) column[j] = values[scratch[j]! * words + word]!;
        }
      };
    }
    case 'mask': {
      const { base, mask, seed } = recipe;
      return (index, count, columns) => {
        for (const [word, column] of columns.entries()) {
          const fixed = base[word]!;
          const free = mask[word]!;
          const key = seed + word;
          if (free === 0) column.fill(fixed, 0, count);
          else for (let j = 0; j < count; j++) column[j] = fixed | (randomBits(key, index + j) & free);
        }
      };
    }
    case 'below': {
      const { base, size, seed } = recipe;
      return (index, count, columns) => {
        for (let j = 0; j < count; j++) scratch[j] = randomBelow(seed, index + j, size);
        addScaled(base, 1, count, scratch, columns);
      };
    }
  }
}

/** columns = base + position * step, with carries from word to word. */
function addScaled(
  base: readonly number[],
  step: number,
  count: number,
  positions: Float64Array,
  columns: readonly Uint32Array[],
): void {
  const low = columns.length - 1;
  const lowest = base[low]!;
  const lowColumn = columns[low]!;
  if (low === 0) {
    // A column of 32 bits takes the number modulo 2^32, as wanted.
    for (let j = 0; j < count; j++) lowColumn[j] = lowest + positions[j]! * step;
    return;
  }
  for (let j = 0; j < count; j++) {
    let rest = positions[j]! * step;
    for (let word = low; word >= 0; word--) {
      // Not `base + rest` at once: that may need more than 53 bits.
      const sum = base[word]! + (((rest % 2 ** 32) + 2 ** 32) % 2 ** 32);
      columns[word]![j] = sum;
      rest = Math.floor(rest / 2 ** 32) + (sum >= 2 ** 32 ? 1 : 0);
    }
  }
}
