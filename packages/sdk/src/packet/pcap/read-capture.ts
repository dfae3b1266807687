/** Reading capture files, all at once or as a stream. */
import { describeValue, invalidArgument } from '../../errors.ts';
import { CaptureParser } from './parser.ts';
import type { CaptureFormat, CaptureInterface, CaptureRecord } from './record.ts';

/** A capture file: its bytes, or chunks of them. A stream of `fs.createReadStream` is one. */
export type CaptureSource = Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** The packets of a capture, read as they are asked for. A stream can be gone through once only. */
export interface CaptureReader {
  /** Known from the first packet on. */
  readonly format: CaptureFormat | undefined;
  /** The interfaces that were met so far; complete at the end. */
  readonly interfaces: readonly CaptureInterface[];
}

/**
 * Reads pcap and pcapng, in either byte order.
 * @throws XdpError `XDP_FILE_INVALID` on damage, from the iteration and after the packets before it: with the byte
 * where it is, and the number of packets read in `completed`.
 */
export function readCapture(source: CaptureSource): CaptureReader & AsyncIterable<CaptureRecord> {
  const chunks = asChunks(source);
  let parser = new CaptureParser();
  return {
    get format() {
      return parser.format;
    },
    get interfaces() {
      return parser.interfaces;
    },
    async *[Symbol.asyncIterator]() {
      parser = new CaptureParser();
      for await (const chunk of chunks) yield* parser.push(ownedChunk(chunk, source));
      parser.end();
    },
  };
}

/** The same without waiting: for bytes, or chunks that are there already. */
export function readCaptureSync(
  source: Uint8Array | Iterable<Uint8Array>,
): CaptureReader & Iterable<CaptureRecord> {
  const chunks = asChunks(source);
  if (!(Symbol.iterator in chunks)) {
    throw invalidArgument('readCaptureSync: the source is asynchronous, use readCapture');
  }
  let parser = new CaptureParser();
  return {
    get format() {
      return parser.format;
    },
    get interfaces() {
      return parser.interfaces;
    },
    *[Symbol.iterator]() {
      parser = new CaptureParser();
      for (const chunk of chunks) yield* parser.push(ownedChunk(chunk, source));
      parser.end();
    },
  };
}

function asChunks(source: CaptureSource): Iterable<Uint8Array> | AsyncIterable<Uint8Array> {
  if (source instanceof Uint8Array) return [source];
  if (source !== null && typeof source === 'object') {
    if (Symbol.asyncIterator in source || Symbol.iterator in source) return source;
  }
  throw invalidArgument(
    `a capture must be a Uint8Array or an iterable of them (such as a stream), got ${describeValue(source)}`,
  );
}

/** Records are views: of the caller's file, but never of a stream's buffer, which may be used again. */
function ownedChunk(chunk: Uint8Array, source: CaptureSource): Uint8Array {
  if (!(chunk instanceof Uint8Array)) {
    throw invalidArgument(
      `a capture's chunks must be Uint8Arrays, got ${describeValue(chunk)} (a stream must have no encoding)`,
    );
  }
  // Not `chunk` itself: a Buffer's subarray and slice would hand out Buffers.
  return chunk === source
    ? new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    : new Uint8Array(chunk);
}
