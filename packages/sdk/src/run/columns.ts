/** The columns that a run of many packets writes: shared memory, so that all threads fill the same ones. */
import { XdpError } from '../errors.ts';
import { native } from '../native.ts';
import { MAX_BATCH_BYTES } from '../packet/index.ts';
import { takeGrowableMemory, takeMemory } from './shared-memory.ts';

/** One element a packet in each array. Structured clones of it share the memory. */
export interface ResultColumns {
  /** What the program returned. */
  readonly verdicts: Uint32Array<SharedArrayBuffer>;
  /** Length of the packet that came out, without metadata, in bytes. */
  readonly lengths: Uint32Array<SharedArrayBuffer>;
  /** Where the packet starts in the output bytes; its metadata lies directly before it. */
  readonly offsets: Uint32Array<SharedArrayBuffer>;
  readonly metadataLengths: Uint32Array<SharedArrayBuffer>;
  /** The program's time, and that of reading the clock, in nanoseconds. Only with `timing`. */
  readonly ns: Uint32Array<SharedArrayBuffer> | undefined;
  /** The interface's index or the key in a map. Only for programs that may redirect. */
  readonly redirectTargets: Uint32Array<SharedArrayBuffer> | undefined;
  /** The map's id, 0 for an interface, `REDIRECT_UNKNOWN` where there is no target or the kernel does not tell. */
  readonly redirectMaps: Uint32Array<SharedArrayBuffer> | undefined;
}

/** In `redirectMaps`: no target is known. As in native/bpf/driver.h. */
export const REDIRECT_UNKNOWN = 0xffff_ffff;

export function allocateColumns(count: number, more: { timing: boolean; redirects: boolean }): ResultColumns {
  const column = (): Uint32Array<SharedArrayBuffer> => new Uint32Array(takeMemory(count * 4), 0, count);
  return {
    verdicts: column(),
    lengths: column(),
    offsets: column(),
    metadataLengths: column(),
    ns: more.timing ? column() : undefined,
    redirectTargets: more.redirects ? column() : undefined,
    redirectMaps: more.redirects ? column().fill(REDIRECT_UNKNOWN) : undefined,
  };
}

/** A thread takes room for outputs in pieces of this size; what is left of one is never touched, and costs nothing. */
const PIECE_BYTES = 16 << 20;

/**
 * Memory for output bytes: one shared buffer that grows, from which each thread takes a piece at a time. Only what is
 * written is ever backed by memory, so the room for the longest outputs costs nothing.
 */
export class OutputArena {
  readonly #buffer: SharedArrayBuffer;
  readonly #reused: boolean;
  readonly #taken: Int32Array;
  readonly #pieceBytes: number;

  constructor(parts: ArenaParts) {
    this.#buffer = parts.buffer;
    this.#reused = parts.reused;
    this.#taken = parts.taken;
    this.#pieceBytes = parts.pieceBytes;
  }

  /** @param roomBytes the longest single output */
  static allocate(packets: number, roomBytes: number): OutputArena {
    const pieceBytes = Math.max(roomBytes, Math.min(packets * roomBytes, PIECE_BYTES));
    const buffer = takeGrowableMemory(Math.min(MAX_BATCH_BYTES, (packets + 64) * pieceBytes));
    return new OutputArena({
      buffer,
      reused: buffer.byteLength > 0,
      taken: new Int32Array(new SharedArrayBuffer(4)),
      pieceBytes,
    });
  }

  /** What another thread needs to use the same memory. */
  get parts(): ArenaParts {
    return { buffer: this.#buffer, reused: this.#reused, taken: this.#taken, pieceBytes: this.#pieceBytes };
  }

  /** The next piece that nobody has: [start, end). */
  take(): { readonly start: number; readonly end: number } {
    const start = Atomics.add(this.#taken, 0, 1) * this.#pieceBytes;
    const end = start + this.#pieceBytes;
    if (end > this.#buffer.maxByteLength) {
      throw new XdpError(
        'XDP_BATCH_TOO_LARGE',
        `the outputs need more than ${this.#buffer.maxByteLength} bytes: run the packets in several parts, or with outputs: 'verdicts'`,
      );
    }
    while (this.#buffer.byteLength < end) {
      try {
        this.#buffer.grow(end);
      } catch (error) {
        // Another thread grew it further in between: it cannot shrink.
        if (this.#buffer.byteLength < end) throw error;
      }
    }
    native().adviseHugePages(new Uint8Array(this.#buffer, start, this.#pieceBytes));
    return { start, end };
  }

  /** A view of everything that has been taken so far. */
  view(): Uint8Array<SharedArrayBuffer> {
    return new Uint8Array(this.#buffer, 0, this.#buffer.byteLength);
  }
}

/** The parts of an arena, to be sent to a worker. */
export interface ArenaParts {
  readonly buffer: SharedArrayBuffer;
  /** Whether the buffer served an earlier run: it is no new memory then. */
  readonly reused: boolean;
  readonly taken: Int32Array;
  readonly pieceBytes: number;
}
