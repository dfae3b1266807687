/** A run of many packets as all its threads see it: plain data over shared memory, to be sent to workers as it is. */
import { XdpError, type XdpErrorCode } from '../errors.ts';
import type { VaryRecipe } from '../packet/index.ts';
import type { ArenaParts, ResultColumns } from './columns.ts';
import type { DriverFlavour } from './engines/driver.ts';
import type { EngineName } from './plan.ts';

/** What every thread of a run needs to know. */
export interface Job {
  /** The descriptor of the program; it belongs to the thread that started the run. */
  readonly program: number;
  readonly engine: EngineName;
  /** The driver's flavour and flags, for the batch engine. */
  readonly flavour: DriverFlavour;
  readonly driverFlags: number;
  readonly input: {
    readonly bytes: Uint8Array;
    readonly offsets: Uint32Array;
    readonly lengths: Uint32Array;
  };
  /** When the packets are made by a recipe: each thread makes its own share of the input. */
  readonly recipe: VaryRecipe | undefined;
  readonly columns: ResultColumns;
  /** Undefined when only verdicts are kept. */
  readonly arena: ArenaParts | undefined;
  /** Room that the longest output needs, in bytes. */
  readonly roomBytes: number;
  readonly state: JobState;
  /** Packets that a thread takes at once. */
  readonly share: number;
  readonly sliceNs: number;
  readonly ingressIfindex: number;
  readonly rxQueue: number;
  readonly useContext: boolean;
}

/** Counters that all threads share; indices into them are in {@link STATE}. */
export type JobState = Int32Array;

export const STATE = {
  /** The next packet that nobody has taken. */
  next: 0,
  /** Packets done. */
  done: 1,
  /** Not 0: stop at the end of the slice. */
  stop: 2,
  /** Runs that signals interrupted and that were made again. */
  retries: 3,
  length: 4,
} as const;

/** Why a thread stopped before all packets were done: plain data, since errors lose their properties on the way. */
export type JobFailure =
  /** A test run of this packet failed. */
  | { readonly packet: number; readonly errno: number }
  /** An XdpError's code and message. */
  | { readonly code: XdpErrorCode; readonly message: string };

/** An error as data, for the way to the thread that started the run. */
export function failureOf(error: unknown): JobFailure {
  if (error instanceof XdpError) return { code: error.code, message: error.message };
  return {
    code: 'XDP_WORKER_FAILED',
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}

export function newJobState(): JobState {
  return new Int32Array(new SharedArrayBuffer(4 * STATE.length));
}

/** Ends the job for all threads because one has failed. */
export function fail(state: JobState, failure: JobFailure): JobFailure {
  Atomics.store(state, STATE.stop, 1);
  return failure;
}
