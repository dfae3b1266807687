/** Options of runMany, and their checks. */
import { describeValue, expectInteger, expectOptions, invalidArgument } from '../errors.ts';
import type { RunContext } from './checks.ts';
import type { EngineName } from './plan.ts';

/** How far a run has come. */
export interface RunProgress {
  readonly completed: number;
  readonly total: number;
}

/** Options of {@link runMany}. */
export interface RunManyOptions {
  /** `packets` (the default) keeps the bytes that come out; `verdicts` only verdicts and lengths. */
  readonly outputs?: 'packets' | 'verdicts';
  /** Threads that run packets, the calling one among them. Default: as many as pay, see `plan`. */
  readonly workers?: number;
  /** Forces an engine; `XDP_ENGINE_UNAVAILABLE` where that one cannot work. Default `auto`: the best that can. */
  readonly engine?: 'auto' | EngineName;
  /** What the program sees beside each packet; kernel 5.15. */
  readonly context?: RunContext;
  /**
   * Runs this share of the packets (0 to 1, spread evenly) again by single calls, and throws `XDP_VERIFY_MISMATCH` where
   * verdict, length, metadata or bytes differ. Not for programs whose answer depends on state that a run changes.
   */
  readonly verify?: number;
  /** Measures the program's time for each packet; see `RunResults.timing`. The batch engine only. */
  readonly timing?: boolean;
  /**
   * The batch engine gives each packet a headroom of zeros, as a single call does. `stale` leaves there what the packet
   * before has written, which saves some 15 to 25 ns a packet and shows only to programs that read it.
   */
  readonly headroom?: 'zeroed' | 'stale';
  /** Stops the run at the end of a slice, some 30 ms later at most, with `XDP_ABORTED`. */
  readonly signal?: AbortSignal;
  /** Called now and then, and once at the end. */
  readonly onProgress?: (progress: RunProgress) => void;
}

const known = [
  'outputs',
  'workers',
  'engine',
  'context',
  'verify',
  'timing',
  'headroom',
  'signal',
  'onProgress',
] as const;

export function checkOptions(options: RunManyOptions | undefined): RunManyOptions {
  const checked = expectOptions('runMany', options, known);
  const { workers, verify, timing, signal, onProgress } = checked;
  expectOneOf('outputs', checked.outputs, ['packets', 'verdicts']);
  expectOneOf('engine', checked.engine, ['auto', 'batch', 'syscall']);
  expectOneOf('headroom', checked.headroom, ['zeroed', 'stale']);
  if (workers !== undefined) expectInteger('runMany: workers', workers, 1, 256);
  if (verify !== undefined && !(typeof verify === 'number' && verify >= 0 && verify <= 1)) {
    throw invalidArgument(`runMany: verify must be a share from 0 to 1, got ${describeValue(verify)}`);
  }
  if (timing !== undefined && typeof timing !== 'boolean') {
    throw invalidArgument(`runMany: timing must be true or false, got ${describeValue(timing)}`);
  }
  if (timing === true && checked.engine === 'syscall') {
    throw invalidArgument("runMany: timing needs the batch engine: leave out engine: 'syscall'");
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw invalidArgument(`runMany: signal must be an AbortSignal, got ${describeValue(signal)}`);
  }
  if (onProgress !== undefined && typeof onProgress !== 'function') {
    throw invalidArgument(`runMany: onProgress must be a function, got ${describeValue(onProgress)}`);
  }
  // A copy: what was checked must not change while packets are collected.
  return { ...checked };
}

function expectOneOf(name: string, value: unknown, choices: readonly string[]): void {
  if (value === undefined || (typeof value === 'string' && choices.includes(value))) return;
  throw invalidArgument(
    `runMany: ${name} must be ${choices.map((one) => `'${one}'`).join(' or ')}, got ${describeValue(value)}`,
  );
}
