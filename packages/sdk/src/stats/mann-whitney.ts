/**
 * The Mann-Whitney U test: are the values of one sample larger than those of the other, whatever their shape?
 * What benchstat uses to tell a changed benchmark from noise.
 */
import { normalUpperTail } from './gamma.ts';
import { sample } from './sample.ts';

/** The result of {@link mannWhitneyU}. */
export interface MannWhitney {
  /** The number of pairs in which the first sample's value is the larger one; ties count half. */
  readonly u: number;
  /** Two-sided: the probability of a U at least this far from the middle if both samples are alike. */
  readonly pValue: number;
  /** `exact`: all orders counted, ties included. `normal`: approximation with correction for ties and continuity. */
  readonly method: 'exact' | 'normal';
}

/** Up to this many values in all every order is counted; above, the normal approximation is good to 3 digits. */
const EXACT_LIMIT = 50;

/** Compares two samples. A small p-value says that one tends to have larger values than the other. */
export function mannWhitneyU(first: ArrayLike<number>, second: ArrayLike<number>): MannWhitney {
  const a = sample('mannWhitneyU', first);
  const b = sample('mannWhitneyU', second);
  const { ranks, tieTerm } = doubledRanks(a, b);
  let doubledSum = 0;
  for (let i = 0; i < a.length; i++) doubledSum += ranks[i]!;
  const doubledU = doubledSum - a.length * (a.length + 1);
  const exact = a.length + b.length <= EXACT_LIMIT;
  const pValue = exact
    ? exactPValue(ranks, a.length, doubledSum)
    : normalPValue(doubledU / 2, a.length, b.length, tieTerm);
  return Object.freeze({ u: doubledU / 2, pValue, method: exact ? 'exact' : 'normal' });
}

/** Ranks from 1, doubled so that the mid-ranks of ties are whole numbers; and Σ (t³ - t) over groups of t ties. */
function doubledRanks(a: Float64Array, b: Float64Array): { ranks: Uint32Array; tieTerm: number } {
  const values = new Float64Array(a.length + b.length);
  values.set(a);
  values.set(b, a.length);
  const order = Uint32Array.from(values.keys()).sort((x, y) => {
    const p = values[x]!;
    const q = values[y]!;
    return p < q ? -1 : p > q ? 1 : 0;
  });
  const ranks = new Uint32Array(values.length);
  let tieTerm = 0;
  for (let start = 0; start < order.length; ) {
    let end = start + 1;
    while (end < order.length && values[order[end]!] === values[order[start]!]) end++;
    for (let i = start; i < end; i++) ranks[order[i]!] = start + 1 + end;
    const ties = end - start;
    tieTerm += ties ** 3 - ties;
    start = end;
  }
  return { ranks, tieTerm };
}

/** Counts the subsets of `size` ranks by their sum: `ways[j * width + s]` subsets of j ranks sum to s. */
function exactPValue(ranks: Uint32Array, size: number, observed: number): number {
  let total = 0;
  for (const rank of ranks) total += rank;
  const width = total + 1;
  const ways = new Float64Array((size + 1) * width);
  ways[0] = 1;
  let seen = 0;
  for (const rank of ranks) {
    seen += rank;
    for (let j = size; j > 0; j--) {
      for (let s = seen; s >= rank; s--) ways[j * width + s]! += ways[(j - 1) * width + s - rank]!;
    }
  }
  let below = 0;
  let above = 0;
  let all = 0;
  for (let s = 0; s < width; s++) {
    const count = ways[size * width + s]!;
    all += count;
    if (s <= observed) below += count;
    if (s >= observed) above += count;
  }
  return Math.min(1, (2 * Math.min(below, above)) / all);
}

function normalPValue(u: number, m: number, n: number, tieTerm: number): number {
  const all = m + n;
  const variance = ((m * n) / 12) * (all + 1 - tieTerm / (all * (all - 1)));
  if (variance <= 0) return 1;
  const distance = Math.max(0, Math.abs(u - (m * n) / 2) - 0.5);
  return Math.min(1, 2 * normalUpperTail(distance / Math.sqrt(variance)));
}
