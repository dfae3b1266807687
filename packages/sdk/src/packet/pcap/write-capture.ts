/** Whole captures from packets of any source. */
import type { PacketLike } from '../packet-batch.ts';
import { CaptureWriter, type CaptureWriterOptions, type PacketInfo } from './writer.ts';

/** A packet, and beside its bytes what else is to be written of it. A record that was read is one. */
export type CapturedPacket = PacketLike | CapturedBytes;

interface CapturedBytes extends PacketInfo {
  readonly bytes: Uint8Array;
}

/** Chunks are handed out when they have reached this size. */
const CHUNK_BYTES = 256 * 1024;

/** Encodes packets as they are asked for, in chunks: `Readable.from(writeCapture(...))` is a stream of the file. */
export function* writeCapture(
  packets: Iterable<CapturedPacket>,
  options?: CaptureWriterOptions,
): Generator<Uint8Array, void, undefined> {
  const writer = new CaptureWriter(options);
  for (const packet of packets) {
    writer.add(packet, infoOf(packet));
    if (writer.pendingBytes >= CHUNK_BYTES) yield writer.take();
  }
  yield writer.take();
}

/** A whole capture file in memory. */
export function captureBytes(packets: Iterable<CapturedPacket>, options?: CaptureWriterOptions): Uint8Array {
  const writer = new CaptureWriter(options);
  for (const packet of packets) writer.add(packet, infoOf(packet));
  return writer.take();
}

function infoOf(packet: CapturedPacket): PacketInfo {
  return packet instanceof Uint8Array ? {} : (packet as CapturedBytes);
}
