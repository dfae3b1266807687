/** Whether the batch engine can run a program here, and with which driver. */
import { errnoName } from '../kernel/index.ts';
import type { NativeHandle } from '../native.ts';
import { programHandle, type XdpProgram } from '../object/index.ts';
import { BatchDriver, batchDriver, type DriverFlavour, flavoursFor } from './engines/driver.ts';

/** The driver that takes the program, or why none does. */
export type BatchSupport =
  | { readonly driver: BatchDriver; readonly flavour: DriverFlavour }
  | { readonly refused: string };

const known = new WeakMap<XdpProgram, BatchSupport>();

/**
 * The driver for a program: tried once for each program, since the kernel does not show which one fits.
 * @param handle a descriptor of the program that outlives its object, where the caller has one
 */
export function batchSupport(program: XdpProgram, handle?: NativeHandle): BatchSupport {
  let support = known.get(program);
  if (support === undefined || ('driver' in support && support.driver.isClosed)) {
    support = findDriver(program, handle ?? programHandle(program));
    known.set(program, support);
  }
  return support;
}

function findDriver(program: XdpProgram, handle: NativeHandle): BatchSupport {
  let refused = '';
  for (const flavour of flavoursFor(program)) {
    const driver = batchDriver(flavour);
    if (!(driver instanceof BatchDriver)) {
      refused ||= driver.refused;
      continue;
    }
    const trial = {};
    const errno = driver.tryAim(handle, trial);
    driver.release(trial);
    if (errno === 0) return { driver, flavour };
    refused = `no driver may call program ${program.name} (${errnoName(errno)}): it differs from all of them in a way that the prog array forbids`;
  }
  return { refused };
}

/** Why the batch engine cannot run ordinary XDP programs here, or undefined where it can. */
export function batchEngineRefusal(): string | undefined {
  const driver = batchDriver({ attachType: 'xdp', frags: false });
  return driver instanceof BatchDriver ? undefined : driver.refused;
}
