/** How evenly packets were spread, and whether chance alone explains the rest. */
import { describeValue, expectOptions, invalidArgument } from '../errors.ts';
import { type Counts, labelOf, type NumberLike, readCounts } from './counts.ts';
import { chiSquareUpperTail } from './gamma.ts';

/** Options of {@link distribution}. */
export interface DistributionOptions<K> {
  /**
   * The weights to expect, by key; any scale. A key that was never counted counts 0. Without it all are
   * expected to get the same.
   */
  readonly expected?: Counts<K>;
  /**
   * The categories that there are: their keys, or only how many. Say it whenever you know it: a backend that got
   * no packet at all is in no count, and the others would look even without it.
   */
  readonly among?: number | Iterable<K>;
}

/** One category of a {@link Distribution}. */
export interface Category<K> {
  /** The key as it was counted; undefined for one that is known from `among: number` alone. */
  readonly key: K | undefined;
  readonly label: string;
  readonly count: number;
  /** `count / n`. */
  readonly share: number;
  /** The count to expect. */
  readonly expected: number;
  /** How far the count is from the expected one, in standard deviations of what chance does. */
  readonly z: number;
}

/** The result of {@link distribution}. */
export interface Distribution<K> {
  /** How many were counted in all. */
  readonly n: number;
  /** The number of categories. */
  readonly k: number;
  readonly mean: number;
  /** Of the counts, as the whole population. */
  readonly stdDev: number;
  /**
   * The coefficient of variation, `stdDev / mean`. With `expected` weights: the root mean square of
   * `count / expected - 1`, weighted as expected, which is the same thing when all weights are equal.
   */
  readonly cv: number;
  /** The coefficient of variation that chance alone gives, on average, for this n and k: √((k - 1) / n). */
  readonly expectedCv: number;
  readonly min: number;
  readonly max: number;
  readonly minShare: number;
  readonly maxShare: number;
  readonly chiSquare: number;
  readonly degreesOfFreedom: number;
  /** The probability that chance alone gives a chi-square statistic at least this large. */
  readonly pValue: number;
  /** The smallest expected count. Below about 5 the p-value is a rough one: count more packets. */
  readonly minExpected: number;
  /** In the order of the counts given. */
  readonly counts: readonly Category<K>[];
}

/**
 * Statistics of counts by category: packets by backend, flows by CPU.
 * @throws XdpError `XDP_INVALID_ARGUMENT` for no counts at all, and for counts that are not whole numbers.
 */
export function distribution<K>(
  counts: ReadonlyMap<K, NumberLike>,
  options?: DistributionOptions<K>,
): Distribution<K>;
export function distribution(
  counts: ArrayLike<NumberLike>,
  options?: DistributionOptions<number>,
): Distribution<number>;
export function distribution(
  counts: Readonly<Record<string, NumberLike>>,
  options?: DistributionOptions<string>,
): Distribution<string>;
export function distribution<K>(counts: Counts<K>, options?: DistributionOptions<K>): Distribution<K> {
  const { expected, among } = expectOptions<DistributionOptions<K>>('distribution', options, [
    'expected',
    'among',
  ]);
  const observed = readCounts('distribution: count', counts, expectCount);
  const weights = expected && readCounts('distribution: expected weight', expected, expectWeight);
  if (weights) completeFrom(observed, weights.keys(), 'expected');
  let unnamed = 0;
  if (typeof among === 'number') unnamed = missingCategories(observed.size, among);
  else if (among !== undefined) completeFrom(observed, among, 'among');
  if (weights && unnamed > 0) {
    throw invalidArgument(
      'distribution: `among` as a number and `expected` exclude each other: name the keys',
    );
  }

  const rows: { key: K | undefined; label: string; count: number; weight: number }[] = [];
  for (const [key, count] of observed) {
    const weight = weights ? weights.get(key) : 1;
    if (weight === undefined) {
      throw invalidArgument(`distribution: expected has no weight for ${labelOf(key)}`);
    }
    rows.push({ key, label: labelOf(key), count, weight });
  }
  for (let i = 1; i <= unnamed; i++)
    rows.push({ key: undefined, label: `(not hit ${i})`, count: 0, weight: 1 });
  return summarise(rows);
}

function summarise<K>(
  rows: readonly { key: K | undefined; label: string; count: number; weight: number }[],
): Distribution<K> {
  const k = rows.length;
  const n = rows.reduce((sum, row) => sum + row.count, 0);
  const totalWeight = rows.reduce((sum, row) => sum + row.weight, 0);
  if (k === 0 || n === 0) throw invalidArgument('distribution: nothing was counted: every count is 0');
  if (!(totalWeight > 0)) throw invalidArgument('distribution: every expected weight is 0');
  const mean = n / k;
  let squares = 0;
  let chiSquare = 0;
  let possible = 0;
  let min = Infinity;
  let max = 0;
  let minExpected = Infinity;
  const counts = rows.map(({ key, label, count, weight }): Category<K> => {
    const expected = (n * weight) / totalWeight;
    const chance = Math.sqrt(expected * (1 - expected / n));
    squares += (count - mean) ** 2;
    min = Math.min(min, count);
    max = Math.max(max, count);
    if (weight > 0) {
      possible++;
      chiSquare += (count - expected) ** 2 / expected;
      minExpected = Math.min(minExpected, expected);
    } else if (count > 0) {
      chiSquare = Infinity;
    }
    const z = count === expected ? 0 : (count - expected) / chance;
    return Object.freeze({ key, label, count, share: count / n, expected, z });
  });
  const degreesOfFreedom = possible - 1;
  const stdDev = Math.sqrt(squares / k);
  return Object.freeze({
    n,
    k,
    mean,
    stdDev,
    cv: Math.sqrt(chiSquare / n),
    expectedCv: Math.sqrt(degreesOfFreedom / n),
    min,
    max,
    minShare: min / n,
    maxShare: max / n,
    chiSquare,
    degreesOfFreedom,
    pValue: tail(chiSquare, degreesOfFreedom),
    minExpected,
    counts: Object.freeze(counts),
  });
}

/** With one possible category there is nothing to be surprised by, except a count where none can be. */
function tail(chiSquare: number, degreesOfFreedom: number): number {
  if (degreesOfFreedom === 0) return chiSquare === Infinity ? 0 : 1;
  return chiSquareUpperTail(chiSquare, degreesOfFreedom);
}

/** Adds a count of 0 for each key of `keys` that was not counted; a key counted but not among them is an error. */
function completeFrom<K>(observed: Map<K, number>, keys: Iterable<K>, option: string): void {
  const known = new Set(keys);
  for (const [key, count] of observed) {
    if (known.has(key)) continue;
    throw invalidArgument(
      `distribution: ${labelOf(key)} was counted ${count} times, but is not one of the ${known.size} in \`${option}\``,
    );
  }
  for (const key of known) if (!observed.has(key)) observed.set(key, 0);
}

function missingCategories(seen: number, among: number): number {
  if (!Number.isSafeInteger(among) || among < seen) {
    throw invalidArgument(
      `distribution: among must be a whole number of at least ${seen}, the categories counted, got ${among}`,
    );
  }
  return among - seen;
}

function expectCount(name: string, value: unknown): number {
  const count = typeof value === 'bigint' ? Number(value) : value;
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) {
    throw invalidArgument(`${name} must be a whole number of 0 or more, got ${describeValue(value)}`);
  }
  return count;
}

function expectWeight(name: string, value: unknown): number {
  const weight = typeof value === 'bigint' ? Number(value) : value;
  if (typeof weight !== 'number' || !Number.isFinite(weight) || weight < 0) {
    throw invalidArgument(`${name} must be a number of 0 or more, got ${describeValue(value)}`);
  }
  return weight;
}
