/** Compares two sets of benchmark results as benchstat does: medians, their spread, and whether they differ at all. */
import { expectOptions, invalidArgument } from '../errors.ts';
import { geometricMean, mannWhitneyU, median } from '../stats/index.ts';
import type { BenchmarkSamples } from './benchstat-parse.ts';

/** A sample in figures. */
export interface SampleSummary {
  readonly n: number;
  readonly median: number;
  /**
   * How far the ends of the 95 % confidence interval are from the median, as a share of it; undefined for fewer than 6
   * values, of which no such interval can be had.
   */
  readonly spread: number | undefined;
}

/** One benchmark in both files. */
export interface Comparison {
  readonly name: string;
  readonly unit: string;
  readonly before: SampleSummary | undefined;
  readonly after: SampleSummary | undefined;
  /** `after / before - 1`; undefined where one is missing. */
  readonly change: number | undefined;
  /** Of the Mann-Whitney U test: how probable so large a difference is if nothing changed. */
  readonly pValue: number | undefined;
  /** Whether `pValue` is below `alpha`. */
  readonly significant: boolean;
}

/** All benchmarks of one unit. */
export interface ComparisonTable {
  readonly unit: string;
  readonly rows: readonly Comparison[];
  /** Geometric means over the benchmarks that both have; undefined where there is none, or a value is 0. */
  readonly geomean: { readonly before: number; readonly after: number; readonly change: number } | undefined;
}

/** Options of {@link compareBenchmarks}. */
export interface CompareOptions {
  /** Default 0.05. */
  readonly alpha?: number;
}

/** Compares benchmarks by name and unit; the order is that of the first file. */
export function compareBenchmarks(
  before: readonly BenchmarkSamples[],
  after: readonly BenchmarkSamples[],
  options?: CompareOptions,
): ComparisonTable[] {
  const { alpha = 0.05 } = expectOptions<CompareOptions>('compareBenchmarks', options, ['alpha']);
  if (typeof alpha !== 'number' || !(alpha > 0 && alpha < 1)) {
    throw invalidArgument(`compareBenchmarks: alpha must be between 0 and 1, got ${alpha}`);
  }
  const units = new Set([...before, ...after].flatMap(({ values }) => [...values.keys()]));
  return [...units].map((unit) => {
    const names = new Set(
      [...before, ...after].filter(({ values }) => values.has(unit)).map(({ name }) => name),
    );
    const rows = [...names].map((name) =>
      compare(name, unit, valuesOf(before, name, unit), valuesOf(after, name, unit), alpha),
    );
    return { unit, rows, geomean: geomeanOf(rows) };
  });
}

function valuesOf(
  samples: readonly BenchmarkSamples[],
  name: string,
  unit: string,
): readonly number[] | undefined {
  const values = samples.filter((one) => one.name === name).flatMap((one) => one.values.get(unit) ?? []);
  return values.length === 0 ? undefined : values;
}

function compare(
  name: string,
  unit: string,
  before: readonly number[] | undefined,
  after: readonly number[] | undefined,
  alpha: number,
): Comparison {
  const [first, second] = [before && summarize(before), after && summarize(after)];
  if (before === undefined || after === undefined || first === undefined || second === undefined) {
    return {
      name,
      unit,
      before: first,
      after: second,
      change: undefined,
      pValue: undefined,
      significant: false,
    };
  }
  const { pValue } = mannWhitneyU(before, after);
  // Two zeros are no change; from zero to something is one without a measure.
  const change = first.median === second.median ? 0 : second.median / first.median - 1;
  return { name, unit, before: first, after: second, change, pValue, significant: pValue < alpha };
}

export function summarize(values: readonly number[]): SampleSummary {
  const middle = median(values);
  const sorted = [...values].sort((a, b) => a - b);
  const rank = intervalRank(sorted.length);
  if (rank === undefined) return { n: sorted.length, median: middle, spread: undefined };
  const low = sorted[rank]!;
  const high = sorted[sorted.length - 1 - rank]!;
  const distance = Math.max(high - middle, middle - low);
  return { n: sorted.length, median: middle, spread: distance === 0 ? 0 : distance / Math.abs(middle) };
}

/**
 * The rank, from 0 and from either end, of the ends of a confidence interval of the median: the number of values below
 * the true median is binomial, whatever their distribution.
 */
function intervalRank(n: number, confidence = 0.95): number | undefined {
  let term = 0.5 ** n;
  let below = 0;
  let rank: number | undefined;
  for (let k = 0; k < n / 2; k++) {
    below += term;
    if (2 * below > 1 - confidence) break;
    rank = k;
    term *= (n - k) / (k + 1);
  }
  return rank;
}

function geomeanOf(rows: readonly Comparison[]): ComparisonTable['geomean'] {
  const both = rows.filter(({ before, after }) => before !== undefined && after !== undefined);
  const [befores, afters] = [both.map((row) => row.before!.median), both.map((row) => row.after!.median)];
  if (both.length === 0 || [...befores, ...afters].some((value) => value <= 0)) return undefined;
  const before = geometricMean(befores);
  const after = geometricMean(afters);
  return { before, after, change: after / before - 1 };
}
