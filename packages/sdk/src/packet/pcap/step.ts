/** What one step of reading a capture file can come to. */
import type { CaptureFormat, CaptureInterface, CaptureRecord } from './record.ts';

/** A block was read; not every block is a packet. */
export interface Progress {
  readonly consumed: number;
  readonly record?: CaptureRecord;
}

/** At least so many bytes are needed before the next step. */
export interface NeedMore {
  readonly needed: number;
}

/** The file is damaged `at` bytes into the block. */
export interface Damage {
  readonly at: number;
  readonly problem: string;
}

export type Step = Progress | NeedMore | Damage;

/** Reads a file block by block. */
export interface BlockReader {
  readonly format: CaptureFormat;
  readonly interfaces: readonly CaptureInterface[];
  /** Looks at the bytes from the start of a block on; `index` is the number of the next packet. */
  step(bytes: Uint8Array, index: number): Step;
}

export function needMore(needed: number): NeedMore {
  return { needed };
}

export function damage(at: number, problem: string): Damage {
  return { at, problem };
}
