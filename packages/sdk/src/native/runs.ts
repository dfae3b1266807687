/** Test runs: one, slices of many, one packet again and again. */
import type { NativeHandle } from './handle.ts';

export interface NativeRun {
  readonly program: NativeHandle | number;
  /** Metadata first, then the packet. */
  readonly packet: Uint8Array;
  readonly metadata?: number | undefined;
  readonly output?: Uint8Array | undefined;
  readonly repeat?: number | undefined;
  readonly ingressIfindex?: number | undefined;
  readonly rxQueue?: number | undefined;
  readonly useContext?: number | undefined;
  readonly timeoutMs?: number | undefined;
  readonly cpu?: number | undefined;
  readonly flags?: number | undefined;
  readonly batchSize?: number | undefined;
}

/** The columns and bounds of one native slice; every array may lie in shared memory. */
export interface NativeSlice {
  readonly program: NativeHandle | number;
  readonly bytes: Uint8Array;
  readonly offsets: Uint32Array;
  readonly lengths: Uint32Array;
  readonly verdicts: Uint32Array;
  readonly outLengths: Uint32Array;
  readonly outOffsets: Uint32Array;
  readonly outMetadata: Uint32Array;
  readonly outBytes?: Uint8Array | undefined;
  readonly outPosition?: number;
  readonly outEnd?: number;
  /** Room that must be left for one output. */
  readonly outRoom?: number;
  readonly from: number;
  readonly to: number;
  readonly sliceNs: number;
  readonly ingressIfindex?: number;
  readonly rxQueue?: number;
  readonly useContext?: number;
}

/** A slice for the batch driver. */
export interface NativeBatchSlice extends Omit<NativeSlice, 'program'> {
  readonly driver: NativeHandle;
  /** The driver's .bss. */
  readonly memory: NativeHandle;
  /** enum driver_flags of native/bpf/driver.h. */
  readonly flags: number;
  readonly ns?: Uint32Array | undefined;
  readonly redirectTargets?: Uint32Array | undefined;
  readonly redirectMaps?: Uint32Array | undefined;
}

/** One packet again and again, for benchmarks. */
export interface NativeBatchRepeat {
  readonly driver: NativeHandle;
  readonly memory: NativeHandle;
  readonly packet: Uint8Array;
  readonly runs: number;
  readonly flags: number;
  readonly ingressIfindex?: number;
  readonly rxQueue?: number;
  readonly useContext?: number;
}

export interface NativeBatchRepeatResult {
  readonly done: number;
  readonly elapsedNs: number;
  readonly retries: number;
  readonly errno: number;
  readonly driverError: number;
}

export interface NativeSliceResult {
  /** The first packet that has not run. */
  readonly next: number;
  readonly outPosition: number;
  readonly retries: number;
  /** What stopped it at packet `next`, or 0. */
  readonly errno: number;
}

export interface NativeTiming {
  readonly calls: number;
  readonly medianNs: number;
  readonly voluntarySwitches: number;
  readonly errno: number;
}
