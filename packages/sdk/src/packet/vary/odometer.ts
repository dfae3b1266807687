/**
 * The positions of fields that count. All of them move with every packet, and yet no combination comes twice before
 * all have come.
 *
 * Counting in step alone repeats after the least common multiple of the sizes: two fields of 256 values would give 256
 * packets. So at each such lap a field is moved on by one against those before it. In terms of groups: the pairs
 * (i mod m, i mod p) run through the subgroup of Z_m x Z_p that (1, 1) generates, and the moves visit its gcd(m, p)
 * cosets one after the other. `m` is the number of combinations of the fields before.
 */

/** One field's place among those that count. */
export interface Digit {
  /** How many values the field has. */
  readonly size: number;
  /** After so many packets it moves on by two. Infinity if that is later than any packet. */
  readonly lap: number;
  /** After so many packets all combinations of this field and those before have come. */
  readonly cycle: number;
}

/** Indices are 32-bit: what is longer than that is never reached. */
const NEVER = 2 ** 32;

/** The digits for fields of these sizes, and how many combinations there are (Infinity for 2^32 or more). */
export function digitsOf(sizes: readonly number[]): { digits: readonly Digit[]; combinations: number } {
  let before = 1;
  const digits = sizes.map((size) => {
    const lap = reachable((before / greatestCommonDivisor(before, size)) * size);
    before = reachable(before * size);
    return { size, lap, cycle: before };
  });
  return { digits, combinations: before };
}

/** The field's position for packet `index`. */
export function positionAt({ size, lap, cycle }: Digit, index: number): number {
  const inCycle = index % cycle;
  return (inCycle + Math.floor(inCycle / lap)) % size;
}

/** Writes the positions of `count` packets from `index` on. */
export function fillPositions(digit: Digit, index: number, count: number, positions: Float64Array): void {
  const { size, lap, cycle } = digit;
  let position = positionAt(digit, index);
  let untilLap = lap - (index % lap);
  let untilCycle = cycle - (index % cycle);
  for (let j = 0; j < count; j++) {
    positions[j] = position;
    position++;
    if (--untilLap === 0) {
      position++;
      untilLap = lap;
    }
    if (--untilCycle === 0) {
      position = 0;
      untilCycle = cycle;
    }
    while (position >= size) position -= size;
  }
}

function reachable(value: number): number {
  return value > NEVER ? Number.POSITIVE_INFINITY : value;
}

function greatestCommonDivisor(a: number, b: number): number {
  // An endless cycle before: its laps are endless too, whatever the divisor.
  if (a === Number.POSITIVE_INFINITY) return 1;
  let [x, y] = [a, b];
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}
