/** Rounds of measurements: medians and spread. */

import { median } from 'xdptest/stats';

/** One row of `pnpm bench --json`. */
export interface Row {
  readonly case: string;
  readonly engine: string;
  readonly bytes: number;
  readonly workers: number;
  readonly rounds: number;
  /** Nanoseconds a packet. */
  readonly medianNs: number;
  readonly minNs: number;
  readonly maxNs: number;
  /** The median over the rounds of this engine's time divided by the C loop's in the same round. */
  readonly ratioToC: number | null;
}

/** A row from the times of all rounds; `reference` are the C loop's in the same rounds. */
export function summarize(
  what: Pick<Row, 'case' | 'engine' | 'bytes' | 'workers'>,
  times: readonly number[],
  reference: readonly number[] | undefined,
): Row {
  return {
    ...what,
    rounds: times.length,
    medianNs: round(median(times)),
    minNs: round(Math.min(...times)),
    maxNs: round(Math.max(...times)),
    ratioToC: reference === undefined ? null : round(median(times.map((time, i) => time / reference[i]!)), 3),
  };
}

function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits));
}
