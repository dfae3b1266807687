/**
 * The one error class of the package and its stable codes. Every other room imports this one, it imports none.
 */

/**
 * All codes, with a sentence on what each one means. `docs/errors.md` is held complete against this table by a test.
 * A code never changes its meaning; messages may.
 */
export const errorCodes = {
  XDP_INVALID_ARGUMENT: 'An argument or option has the wrong type, or a value outside its range.',
  XDP_UNSUPPORTED_PLATFORM:
    'The native addon does not run here: not Linux, or no build for this architecture.',
  XDP_LIBRARY_MISSING: 'A system library that the native addon needs (libbpf.so.1) is not installed.',
  XDP_NOT_PERMITTED: 'The kernel refused for want of a capability or because of a lockdown.',
  XDP_SYSCALL_FAILED:
    'A system call failed for a reason that no other code names; see `syscall` and `errno`.',
  XDP_COMPILE_FAILED: 'The C source does not compile; the message has the words of clang.',
  XDP_OBJECT_INVALID: 'The bytes are not a BPF object that libbpf can open.',
  XDP_LOAD_FAILED: 'The kernel or libbpf refused to load the object; `log` is the whole verifier log.',
  XDP_NO_BTF: 'The object carries no BTF (compile with -g), and the operation needs it.',
  XDP_NOT_FOUND: 'There is no program, map or variable of that name.',
  XDP_CLOSED: 'The object, program or map was closed before.',
  XDP_NOT_XDP: 'The program is not an XDP program that can be test-run.',
  XDP_NOT_LOADED: 'The program was not loaded: autoload is off for it.',
  XDP_READ_ONLY: 'The variable or map cannot be written any more (.rodata is frozen at load).',
  XDP_VALUE_INVALID:
    'A value does not fit its BTF type: wrong shape, out of range, unknown field or enumerator.',
  XDP_SIZE_MISMATCH: 'A key or value in raw bytes has the wrong size.',
  XDP_MAP_OPERATION: 'The map type does not have this operation.',
  XDP_MAP_FULL: 'The map has no room for another entry.',
  XDP_MAP_CHANGED: 'The map changed so fast while it was read that no consistent set of keys could be had.',
  XDP_PACKET_TOO_SHORT: 'The packet is shorter than the kernel accepts (14 bytes on most).',
  XDP_PACKET_TOO_LONG: 'The packet is longer than the kernel, or than a program without xdp.frags, accepts.',
  XDP_METADATA_INVALID: 'The metadata is not a multiple of 4 bytes, or too long.',
  XDP_CONTEXT_UNSUPPORTED: 'This kernel takes no context in a test run (needs 5.15).',
  XDP_PACKET_CHANGED:
    'The program changed the packet in the middle of a repeated run, so that further runs saw a changed one.',
  XDP_NO_SUCH_INTERFACE: 'No interface has that index in this network namespace.',
  XDP_ATTACH_FAILED: 'The kernel or the driver refused to attach the program to the interface.',
  XDP_FRAMES_LOST: 'Frames were lost on their way through a real interface; the message counts them.',
  XDP_OUTPUT_TRUNCATED: 'The program returned more bytes than any room for output allows.',
  XDP_TIMEOUT: 'The time given by `timeoutMs` was over before the work was done.',
  XDP_ABORTED: 'The `signal` was aborted; `completed` tells how many packets had run.',
  XDP_INTERRUPTED: 'The run was interrupted by signals again and again, and gave no result.',
  XDP_ENGINE_UNAVAILABLE: 'The engine that was asked for cannot run this work here; the message says why.',
  XDP_VERIFY_MISMATCH: 'A replayed packet gave another answer than the engine did.',
  XDP_BATCH_TOO_LARGE: 'The batch is larger than one batch can be (4 GiB of packets or of outputs).',
  XDP_WORKER_FAILED: 'A worker thread ended before its share was done.',
  XDP_PACKET_INVALID: 'A layer or a field of a packet to build is wrong.',
  XDP_FILE_INVALID: 'A capture file is damaged or of another format; the message has the offset.',
  XDP_FEATURE_UNSUPPORTED: 'This kernel lacks a feature that the operation needs.',
  XDP_TOOL_MISSING:
    'A program of the host that the operation needs is not installed; the message has the package.',
  XDP_TOOL_FAILED: 'A program of the host that the operation needs failed; the message has its last words.',
  XDP_KERNEL_UNAVAILABLE: 'There is no kernel of that name, or it cannot be fetched or used.',
  XDP_MACHINE_FAILED:
    'A machine with another kernel ended before its tests did: a panic, a lockup, a hang; the message has the console.',
} as const satisfies Record<`XDP_${string}`, string>;

// The contexts of node:vm, in which vitest's vmThreads pool runs tests, have neither symbol on Node 20 and 22. These are
// what compiled `using` falls back to. Here, because every file with a class that can be disposed of imports this one.
for (const name of ['dispose', 'asyncDispose'] as const) {
  if ((Symbol[name] as symbol | undefined) === undefined) {
    Object.defineProperty(Symbol, name, { value: Symbol.for(`Symbol.${name}`) });
  }
}

/** A stable error code; see {@link errorCodes}. */
export type XdpErrorCode = keyof typeof errorCodes;

/** What an {@link XdpError} carries beside its code and message. */
export interface XdpErrorDetails {
  /** The system call or library function that failed. */
  readonly syscall?: string | undefined;
  /** The error number, positive, as in errno.h. */
  readonly errno?: number | undefined;
  /** The whole verifier log of a failed load. */
  readonly log?: string | undefined;
  /** How many packets had run when a run of many ended early. */
  readonly completed?: number | undefined;
  readonly cause?: unknown;
}

/** Every error that this package throws on purpose. */
export class XdpError extends Error {
  override readonly name = 'XdpError';
  readonly code: XdpErrorCode;
  readonly syscall: string | undefined;
  readonly errno: number | undefined;
  readonly log: string | undefined;
  readonly completed: number | undefined;

  constructor(code: XdpErrorCode, message: string, details: XdpErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.syscall = details.syscall;
    this.errno = details.errno;
    this.log = details.log;
    this.completed = details.completed;
  }
}

/** The error for a bad argument; `what` says what is wrong and what was expected. */
export function invalidArgument(what: string): XdpError {
  return new XdpError('XDP_INVALID_ARGUMENT', what);
}

/** How a wrong value is shown in a message: short, and on one line. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}...` : value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return 'a function';
  if (value === null || typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (ArrayBuffer.isView(value)) return `${value.constructor.name} of ${value.byteLength} bytes`;
  const name = (value as object).constructor?.name;
  return name === undefined || name === 'Object' ? 'an object' : `an object of class ${name}`;
}

/** Checks that `value` is a whole number between `min` and `max`, and gives it back. */
export function expectInteger(name: string, value: unknown, min: number, max: number): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min || value > max) {
    throw invalidArgument(
      `${name} must be a whole number from ${min} to ${max}, got ${describeValue(value)}`,
    );
  }
  return value;
}

/** Checks that `options` is an object (or undefined) which has no other keys than `known`. */
export function expectOptions<T extends object>(
  where: string,
  options: T | undefined,
  known: readonly string[],
): T {
  if (options === undefined) return {} as T;
  if (options === null || typeof options !== 'object' || Array.isArray(options)) {
    throw invalidArgument(`${where}: options must be an object, got ${describeValue(options)}`);
  }
  for (const key of Object.keys(options)) {
    if (!known.includes(key)) {
      throw invalidArgument(
        `${where}: there is no option ${JSON.stringify(key)}; known are ${known.join(', ')}`,
      );
    }
  }
  return options;
}
