/** From what callers give as packets to one batch in shared memory. */
import { describeValue, invalidArgument, XdpError } from '../errors.ts';
import type { TestRunLimits } from '../kernel/index.ts';
import type { XdpProgram } from '../object/index.ts';
import { PacketBatch, PacketBatchBuilder, type PacketLike } from '../packet/index.ts';
import { checkPacketSize } from './checks.ts';

/** Packets as {@link runMany} takes them. */
export type PacketSource = PacketBatch | Iterable<PacketLike> | AsyncIterable<PacketLike>;

/** Collects a source into a batch whose memory worker threads can see. An abort is seen between two packets. */
export async function collectPackets(
  source: PacketSource,
  signal: AbortSignal | undefined,
): Promise<PacketBatch> {
  if (source instanceof PacketBatch) return shared(source);
  // A single packet is a likely mistake: a Uint8Array is an iterable of numbers.
  if (source === null || typeof source !== 'object' || ArrayBuffer.isView(source)) {
    throw invalidArgument(
      `runMany: packets must be a PacketBatch, an array or an (async) iterable of packets, got ${describeValue(source)}`,
    );
  }
  const builder = new PacketBatchBuilder();
  if (Symbol.asyncIterator in source) {
    for await (const packet of source) {
      throwIfAborted(signal);
      builder.add(packet);
    }
  } else if (Symbol.iterator in source) {
    for (const packet of source) builder.add(packet);
  } else {
    throw invalidArgument(`runMany: packets must be iterable, got ${describeValue(source)}`);
  }
  return builder.build();
}

/** Throws `XDP_ABORTED` for a signal that was aborted before anything ran. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new XdpError('XDP_ABORTED', 'runMany: aborted before the first packet ran', {
    completed: 0,
    cause: signal.reason,
  });
}

/** Workers can read only shared memory in place. */
function shared(batch: PacketBatch): PacketBatch {
  const inShared = [batch.bytes, batch.offsets, batch.lengths].every(
    (array) => array.buffer instanceof SharedArrayBuffer,
  );
  return inShared ? batch : PacketBatch.from([...batch]);
}

/** Checks every packet's size before any system call; the longest one is given back. */
export function checkSizes(batch: PacketBatch, program: XdpProgram, limits: TestRunLimits): number {
  const { lengths } = batch;
  let largest = 0;
  for (let i = 0; i < lengths.length; i++) {
    const size = lengths[i]!;
    if (size < limits.minPacketBytes || size > limits.maxLinearBytes) {
      checkPacketSize('runMany', size, program, limits, 0, i);
    }
    if (size > largest) largest = size;
  }
  return largest;
}
