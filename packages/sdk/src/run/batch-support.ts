/** Whether the batch engine can run a program here, and with which driver. */
import { errnoName } from '../kernel/index.ts';
import { programHandle, type XdpProgram } from '../object/index.ts';
import { BatchDriver, batchDriver, type DriverFlavour, flavoursFor } from './engines/driver.ts';

/** The driver that takes the program, or why none does. */
export type BatchSupport =
  | { readonly driver: BatchDriver; readonly flavour: DriverFlavour }
  | { readonly refused: string };

/** Tries the drivers that a program may fit; which one it is, the kernel does not show. */
export function batchSupport(program: XdpProgram): BatchSupport {
  let refused = '';
  for (const flavour of flavoursFor(program)) {
    const driver = batchDriver(flavour);
    if (!(driver instanceof BatchDriver)) {
      refused ||= driver.refused;
      continue;
    }
    const trial = {};
    const errno = driver.aim(programHandle(program), trial);
    driver.release(trial);
    if (errno === 0) return { driver, flavour };
    refused = `no driver may call program ${program.name} (${errnoName(errno)}): it differs from all of them in a way that the prog array forbids`;
  }
  return { refused };
}
