/**
 * Shared memory for inputs, columns and outputs, used again when a run's results are given back. The first touch of
 * fresh memory costs as much as a tenth of a whole run, and in a virtual machine, whose host has to find it, far more.
 */
import { native } from '../native.ts';

/** What is kept at most for runs to come. */
const MOST_KEPT_BYTES = 512 << 20;

const free: SharedArrayBuffer[] = [];

/** A buffer of at least that many bytes (growable ones have none yet), with anything in it. */
export function takeMemory(sizeBytes: number): SharedArrayBuffer {
  const found = free.findIndex(
    ({ growable, byteLength }) => !growable && byteLength >= sizeBytes && byteLength <= 2 * sizeBytes,
  );
  if (found >= 0) return free.splice(found, 1)[0]!;
  const buffer = new SharedArrayBuffer(sizeBytes);
  // It will be written from end to end: huge pages, where there are any, make the first touch cheaper.
  native().adviseHugePages(new Uint8Array(buffer));
  return buffer;
}

/** A buffer that may grow to that many bytes. */
export function takeGrowableMemory(maxByteLength: number): SharedArrayBuffer {
  const found = free.findIndex((buffer) => buffer.growable && buffer.maxByteLength >= maxByteLength);
  return found >= 0 ? free.splice(found, 1)[0]! : new SharedArrayBuffer(0, { maxByteLength });
}

/** Gives memory back; nobody may use it any more. */
export function giveMemory(buffers: readonly SharedArrayBuffer[]): void {
  for (const buffer of buffers) {
    free.push(buffer);
    while (free.reduce((total, { byteLength }) => total + byteLength, 0) > MOST_KEPT_BYTES) free.shift();
  }
}
