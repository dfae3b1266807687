/**
 * Keeps the outputs of earlier runs from piling up. The garbage collector does not see the size of a shared buffer that
 * grows, and so has no reason to run while results of 100 MB each wait for it, in every thread that had a part in them.
 */
import { native } from '../native.ts';

/** Outputs that are worth a collection of some milliseconds. */
const WORTH_COLLECTING_BYTES = 64 << 20;

let madeSinceCollection = 0;

/** Notes outputs that this thread holds, at the end of its part in a run. */
export function noteOutputs(sizeBytes: number): void {
  madeSinceCollection += sizeBytes;
}

/** Takes back a note: the outputs were given back, and wait for nobody. */
export function forgetOutputs(sizeBytes: number): void {
  madeSinceCollection = Math.max(0, madeSinceCollection - sizeBytes);
}

/** Before a run: frees the outputs of earlier ones that nobody holds any more, if there may be much of that. */
export function dropOldOutputs(): void {
  if (madeSinceCollection < WORTH_COLLECTING_BYTES) return;
  madeSinceCollection = 0;
  native().collectGarbage();
}
