/** Turns error numbers of system calls into XdpErrors that say what happened in words. */
import { constants } from 'node:os';
import { XdpError, type XdpErrorCode } from '../errors.ts';
import { explainRefusal } from './privileges.ts';

/** Numbers of the kernel's own, which no libc and no table of Node's knows (include/linux/errno.h). */
const kernelErrors: Readonly<Record<number, readonly [name: string, words: string]>> = {
  512: ['ERESTARTSYS', 'interrupted, to be restarted'],
  524: [
    'ENOTSUPP',
    'this kernel does not support the operation (a number of the kernel’s own, which libc cannot name)',
  ],
};

const names = new Map<number, string>();
// The first name of a number wins: EAGAIN rather than EWOULDBLOCK, as errno.h has it.
for (const [name, number] of Object.entries(constants.errno)) if (!names.has(number)) names.set(number, name);

/** `EINVAL` for 22; `error 524 (ENOTSUPP: ...)` for the kernel's own numbers. */
export function errnoName(errno: number): string {
  const own = kernelErrors[errno];
  if (own !== undefined) return `error ${errno} (${own[0]}: ${own[1]})`;
  return names.get(errno) ?? `error ${errno}`;
}

/**
 * The error of a failed system call.
 * @param doing what was being done, as "loading lb.bpf.o"
 * @param code the code where the number says nothing more precise
 */
export function systemError(
  doing: string,
  syscall: string,
  errno: number,
  code: XdpErrorCode = 'XDP_SYSCALL_FAILED',
  hint?: string,
): XdpError {
  const refused = errno === constants.errno.EPERM || errno === constants.errno.EACCES;
  const advice = hint ?? (refused ? explainRefusal() : undefined);
  const message = `${doing}: ${syscall} failed with ${errnoName(errno)}${advice === undefined ? '' : `: ${advice}`}`;
  return new XdpError(refused && hint === undefined ? 'XDP_NOT_PERMITTED' : code, message, {
    syscall,
    errno,
  });
}
