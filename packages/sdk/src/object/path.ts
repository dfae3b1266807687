/** Paths that are given to the kernel as they are. */

/** PATH_MAX of linux/limits.h, less the 0 at the end. */
export const MAX_PATH_BYTES = 4095;

/** Whether a value can be the path of a file: not empty, not too long in UTF-8, without a 0 that would cut it. */
export function isPath(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    !value.includes('\0') &&
    Buffer.byteLength(value) <= MAX_PATH_BYTES
  );
}
