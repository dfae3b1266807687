/** Order statistics of a sample of measurements. */
import { describeValue, invalidArgument } from '../errors.ts';

/** The middle value: the mean of the two middle ones for an even number of values. */
export function median(values: ArrayLike<number>): number {
  return percentile(values, 50);
}

/**
 * The value below which `percent` per cent of the sample lie, interpolated between neighbours (type 7 of
 * Hyndman and Fan, the default of R and NumPy).
 */
export function percentile(values: ArrayLike<number>, percent: number): number {
  if (typeof percent !== 'number' || !(percent >= 0 && percent <= 100)) {
    throw invalidArgument(`percentile: percent must be from 0 to 100, got ${describeValue(percent)}`);
  }
  const sorted = sample('percentile', values).sort();
  const position = ((sorted.length - 1) * percent) / 100;
  const below = Math.floor(position);
  const lower = sorted[below]!;
  const upper = sorted[Math.min(below + 1, sorted.length - 1)]!;
  // No interpolation between equals: it would make NaN of two infinities.
  return lower === upper ? lower : lower + (upper - lower) * (position - below);
}

/** The geometric mean, by logarithms so that it does not overflow. Every value must be more than 0. */
export function geometricMean(values: ArrayLike<number>): number {
  let sum = 0;
  const checked = sample('geometricMean', values);
  for (const value of checked) {
    if (value <= 0) throw invalidArgument(`geometricMean: every value must be more than 0, got ${value}`);
    sum += Math.log(value);
  }
  return Math.exp(sum / checked.length);
}

/** A copy of the values as floats (whose sort is by number), checked: at least one, and no NaN. */
export function sample(where: string, values: ArrayLike<number>): Float64Array {
  if (values === null || typeof values !== 'object' || typeof values.length !== 'number') {
    throw invalidArgument(`${where}: values must be an array of numbers, got ${describeValue(values)}`);
  }
  if (values.length === 0) throw invalidArgument(`${where}: needs at least one value, got none`);
  for (let i = 0; i < values.length; i++) {
    if (typeof values[i] !== 'number' || Number.isNaN(values[i])) {
      throw invalidArgument(`${where}: value ${i} must be a number, got ${describeValue(values[i])}`);
    }
  }
  return Float64Array.from(values);
}
