/** Times of single packets: the clock's own cost as a stated baseline, and percentiles. */
import { createHistogram } from 'node:perf_hooks';
import { native } from '../native.ts';
import { BatchDriver, bareTarget, batchDriver } from './engines/driver.ts';
import type { Job } from './job.ts';

/** What `timing: true` measured, in nanoseconds; the baseline is subtracted from all of it. */
export interface RunTiming {
  /**
   * What an empty program takes in the same place: two clock reads and the call. The median of some thousand runs,
   * measured on this machine just before the run.
   */
  readonly baselineNs: number;
  readonly minNs: number;
  readonly maxNs: number;
  readonly meanNs: number;
  readonly p50Ns: number;
  readonly p99Ns: number;
  /** Any percentile, 0 to 100. */
  percentileNs(percentile: number): number;
  /** The time of each packet. */
  readonly ns: Uint32Array;
}

export function summarizeTiming(raw: Uint32Array, baselineNs: number): RunTiming {
  const ns = raw.map((one) => Math.max(0, one - baselineNs));
  const histogram = createHistogram();
  let total = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = 0;
  for (const one of ns) {
    // A histogram starts at 1.
    histogram.record(Math.max(1, one));
    total += one;
    if (one < min) min = one;
    if (one > max) max = one;
  }
  const percentileNs = (percentile: number): number => histogram.percentile(percentile);
  return {
    baselineNs,
    minNs: ns.length === 0 ? 0 : min,
    maxNs: max,
    meanNs: ns.length === 0 ? 0 : total / ns.length,
    p50Ns: ns.length === 0 ? 0 : percentileNs(50),
    p99Ns: ns.length === 0 ? 0 : percentileNs(99),
    percentileNs,
    ns,
  };
}

/** The median time of an empty program in the job's driver, on this thread. */
export function measureBaseline(job: Job): number {
  const driver = batchDriver(job.flavour);
  if (!(driver instanceof BatchDriver)) return 0;
  const XDP_PASS = 2;
  const target = bareTarget(job.flavour, XDP_PASS);
  if (typeof target === 'number') return 0;
  try {
    const count = 4096;
    const column = (): Uint32Array => new Uint32Array(count);
    const ns = column();
    driver.aimedAt(target, () =>
      native().batchRunSlice({
        driver: driver.program,
        memory: driver.memory,
        flags: job.driverFlags,
        bytes: new Uint8Array(64),
        offsets: column(),
        lengths: column().fill(64),
        verdicts: column(),
        outLengths: column(),
        outOffsets: column(),
        outMetadata: column(),
        ns,
        from: 0,
        to: count,
        sliceNs: 1e9,
        useContext: 0,
      }),
    );
    return ns.sort()[count >> 1]!;
  } finally {
    native().closeHandle(target);
  }
}
