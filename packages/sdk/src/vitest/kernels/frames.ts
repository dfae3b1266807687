/**
 * What host and guest say to each other over the channel of a machine: frames of a length, the number of the worker that
 * they are about, a kind, and bytes. Between the guest's agent and its workers the same frames go through pipes.
 */

const kinds = [
  /** From the host: start a worker (a {@link SpawnRequest}). */
  'spawn',
  /** Both ways: a message of vitest's, in the format of `v8.serialize`. */
  'message',
  /** From the host: end a worker. */
  'kill',
  /** From the host: no more workers will come, end the machine. */
  'bye',
  /** From the guest: it is up (a {@link Hello}). */
  'hello',
  /** From the guest, every few seconds: it has not hung. */
  'alive',
  /** From the guest: a worker printed this. */
  'stdout',
  'stderr',
  /** From the guest: a worker wrote this file (a {@link WrittenFile}), which the host shall have too. */
  'file',
  /** From the guest: a worker ended; its last words if it was not asked to. */
  'exit',
] as const;

export type FrameKind = (typeof kinds)[number];

export interface Frame {
  readonly kind: FrameKind;
  /** 0 where it is about no worker. */
  readonly worker: number;
  readonly payload: Buffer;
}

/** What a guest tells of itself. */
export interface Hello {
  /** The kernel in a few lines, for the head of a run. */
  readonly lines: readonly string[];
}

export interface SpawnRequest {
  /** Where the vitest is that runs the tests. */
  readonly vitest: string;
  readonly execArgv: readonly string[];
  /** What is undefined is left out by `spawn`. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface WrittenFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

const HEADER_BYTES = 9;
const nothing = Buffer.alloc(0);

export function encodeFrame(kind: FrameKind, worker: number, payload: Uint8Array = nothing): Buffer {
  const frame = Buffer.allocUnsafe(HEADER_BYTES + payload.length);
  frame.writeUInt32LE(payload.length, 0);
  frame.writeUInt32LE(worker, 4);
  frame.writeUInt8(kinds.indexOf(kind), 8);
  frame.set(payload, HEADER_BYTES);
  return frame;
}

/** Takes the bytes of a stream as they come, and gives the frames in them. */
export function frameReader(onFrame: (frame: Frame) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let wanted = HEADER_BYTES;
  return (chunk) => {
    chunks.push(chunk);
    bytes += chunk.length;
    // Joined only when a whole frame is there: a large one comes in many chunks.
    while (bytes >= wanted) {
      const data = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      const end = HEADER_BYTES + data.readUInt32LE(0);
      if (bytes < end) {
        chunks = [data];
        wanted = end;
        return;
      }
      chunks = [data.subarray(end)];
      bytes -= end;
      wanted = HEADER_BYTES;
      const kind = kinds[data.readUInt8(8)];
      if (kind === undefined) throw new Error(`a frame of unknown kind ${data.readUInt8(8)}`);
      onFrame({ kind, worker: data.readUInt32LE(4), payload: data.subarray(HEADER_BYTES, end) });
    }
  };
}
