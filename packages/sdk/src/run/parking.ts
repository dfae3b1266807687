/**
 * Parking: while a program is attached somewhere, test runs of it leave the XDP dispatcher alone. It is attached in
 * generic mode to the loopback device of a network namespace that is made for it, and nothing is ever sent there.
 */
import { errnoName } from '../kernel/index.ts';
import { type NativeHandle, native } from '../native.ts';
import { programHandle, XdpProgram } from '../object/index.ts';

/** Parks a program, or says why that is refused. Close the handle to end it; so does the end of the process. */
export function park(
  program: XdpProgram | NativeHandle | number,
): NativeHandle | { readonly refused: string } {
  const parked = native().park(program instanceof XdpProgram ? programHandle(program) : program);
  return typeof parked === 'number' ? { refused: errnoName(-parked) } : parked;
}

/** Runs `work` with the program parked if that is wanted and can be. */
export function withParked<T>(program: XdpProgram, wanted: boolean, work: () => T): T {
  if (!wanted) return work();
  const parked = park(program);
  try {
    return work();
  } finally {
    if (!('refused' in parked)) native().closeHandle(parked);
  }
}
