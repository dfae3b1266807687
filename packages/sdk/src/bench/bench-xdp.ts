/** benchXdp: what one run of a program costs. */
import { describeValue, expectInteger, expectOptions, invalidArgument } from '../errors.ts';
import type { XdpProgram } from '../object/index.ts';
import type { PacketLike } from '../packet/index.ts';
import { type EngineName, openRepeater, type Repeater, type RunContext } from '../run/index.ts';
import { median } from '../stats/index.ts';
import { formatLine } from './go-format.ts';
import { nextRuns } from './grow.ts';

/** Options of {@link benchXdp}. */
export interface BenchOptions {
  /** Default: the program's name. */
  readonly name?: string;
  /** Measurements, each of at least `minTimeMs`; default 10, the least that benchstat wants for a comparison. */
  readonly count?: number;
  /** Default 100. */
  readonly minTimeMs?: number;
  /**
   * `batch` restores the packet before each run and shows the cost of that beside; `syscall` is the kernel's own repeat,
   * which does not. Default: `syscall` for a program that leaves the packet alone, `batch` for one that changes it.
   */
  readonly engine?: 'auto' | EngineName;
  /** What the program sees beside the packet; kernel 5.15. */
  readonly context?: RunContext;
}

/** What was measured. All times are wall time in nanoseconds a run; nothing is subtracted from them. */
export interface BenchResult {
  readonly name: string;
  readonly engine: EngineName;
  /** Runs of one measurement. */
  readonly runs: number;
  /** Each measurement. */
  readonly ns: readonly number[];
  /** Their median. */
  readonly nsPerOp: number;
  readonly minNs: number;
  readonly maxNs: number;
  /** (max - min) / median. */
  readonly spread: number;
  /**
   * What an empty program costs in the same engine, measured just before: the median of as many measurements. In the
   * batch engine that is the driver, which restores the packet.
   */
  readonly overheadNs: number;
  /** Whether the program changed the packet. */
  readonly changesPacket: boolean;
  /** How often signals interrupted a call, for each run. */
  readonly retriesPerOp: number;
  /** What a reader of the figures should know. */
  readonly warnings: readonly string[];
  /** The measurements as lines of `go test -bench`, for benchstat. */
  toString(): string;
}

const known = ['name', 'count', 'minTimeMs', 'engine', 'context'] as const;

/**
 * Measures a program on one packet: the number of runs grows, as in Go's `testing.B`, until a measurement takes
 * `minTimeMs`; then `count` measurements are made.
 *
 * @throws XdpError as {@link runXdp}; `XDP_ENGINE_UNAVAILABLE`
 */
export async function benchXdp(
  program: XdpProgram,
  packet: PacketLike,
  options?: BenchOptions,
): Promise<BenchResult> {
  const {
    name,
    count = 10,
    minTimeMs = 100,
    engine = 'auto',
    context,
  } = expectOptions('benchXdp', options, known);
  expectInteger('benchXdp: count', count, 1, 10_000);
  expectInteger('benchXdp: minTimeMs', minTimeMs, 1, 600_000);
  if (name !== undefined && (typeof name !== 'string' || name.trim() === '')) {
    throw invalidArgument(`benchXdp: name must be a string, got ${describeValue(name)}`);
  }
  if (engine !== 'auto' && engine !== 'batch' && engine !== 'syscall') {
    throw invalidArgument(
      `benchXdp: engine must be 'auto', 'batch' or 'syscall', got ${describeValue(engine)}`,
    );
  }
  const repeater = openRepeater(program, packet, { engine, ...(context === undefined ? {} : { context }) });
  try {
    const overhead = await measure(repeater, 'empty', count, minTimeMs * 1e6);
    const measured = await measure(repeater, 'program', count, minTimeMs * 1e6);
    return result(name ?? program.name, repeater, measured, median(overhead.ns));
  } finally {
    repeater.close();
  }
}

interface Measured {
  readonly runs: number;
  readonly ns: number[];
  readonly retries: number;
}

async function measure(
  repeater: Repeater,
  what: 'program' | 'empty',
  count: number,
  goalNs: number,
): Promise<Measured> {
  let runs = 1;
  let trial = await repeater.run(what, runs);
  while (trial.elapsedNs < goalNs) {
    const next = nextRuns(runs, trial.elapsedNs, goalNs);
    if (next === runs) break;
    runs = next;
    trial = await repeater.run(what, runs);
  }
  const ns: number[] = [];
  let retries = 0;
  for (let i = 0; i < count; i++) {
    const one = await repeater.run(what, runs);
    ns.push(one.elapsedNs / runs);
    retries += one.retries;
  }
  return { runs, ns, retries };
}

function result(
  name: string,
  repeater: Repeater,
  { runs, ns, retries }: Measured,
  overheadNs: number,
): BenchResult {
  const { engine, changesPacket, warnings } = repeater;
  const nsPerOp = median(ns);
  const minNs = Math.min(...ns);
  const maxNs = Math.max(...ns);
  const retriesPerOp = retries / (runs * ns.length);
  return {
    name,
    engine,
    runs,
    ns,
    nsPerOp,
    minNs,
    maxNs,
    spread: (maxNs - minNs) / nsPerOp,
    overheadNs,
    changesPacket,
    retriesPerOp,
    warnings,
    toString: () =>
      ns
        .map((value) =>
          formatLine({
            name,
            runs,
            values: [
              { value, unit: 'ns/op' },
              { value: overheadNs, unit: 'empty-ns/op' },
              ...(retriesPerOp > 0 ? [{ value: retriesPerOp, unit: 'retries/op' }] : []),
            ],
          }),
        )
        .join('\n'),
  };
}
