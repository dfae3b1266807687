/** From what callers give as packets to one batch in shared memory. */
import { describeValue, invalidArgument, XdpError } from '../errors.ts';
import type { TestRunLimits } from '../kernel/index.ts';
import type { XdpProgram } from '../object/index.ts';
import {
  MAX_BATCH_BYTES,
  PacketBatch,
  PacketBatchBuilder,
  type PacketLike,
  VariedPackets,
  type VaryRecipe,
} from '../packet/index.ts';
import { checkPacketSize } from './checks.ts';
import { takeMemory } from './shared-memory.ts';

/** Packets as {@link runMany} takes them. */
export type PacketSource = PacketBatch | VariedPackets | Iterable<PacketLike> | AsyncIterable<PacketLike>;

/** Packets in memory that all threads see, filled already or to be filled by a recipe, share by share. */
export interface RunInput {
  readonly length: number;
  readonly bytes: Uint8Array;
  readonly offsets: Uint32Array;
  readonly lengths: Uint32Array;
  readonly recipe: VaryRecipe | undefined;
  /** All lengths that occur, for the checks: those of the templates where there is a recipe. */
  readonly sizes: ArrayLike<number>;
}

/** Makes a source ready to run. An abort is seen between two packets. */
export async function collectPackets(
  source: PacketSource,
  signal: AbortSignal | undefined,
): Promise<RunInput> {
  if (source instanceof VariedPackets) return unfilled(source);
  if (source instanceof PacketBatch) return filled(shared(source));
  // A single packet is a likely mistake: a Uint8Array is an iterable of numbers.
  if (source === null || typeof source !== 'object' || ArrayBuffer.isView(source)) {
    throw invalidArgument(
      `runMany: packets must be a PacketBatch, varied packets, an array or an (async) iterable of packets, got ${describeValue(source)}`,
    );
  }
  const builder = new PacketBatchBuilder();
  if (Symbol.asyncIterator in source) {
    await collectAsync(source, builder, signal);
  } else if (Symbol.iterator in source) {
    for (const packet of source) builder.add(packet);
  } else {
    throw invalidArgument(`runMany: packets must be iterable, got ${describeValue(source)}`);
  }
  return filled(builder.build());
}

function filled(batch: PacketBatch): RunInput {
  const { bytes, offsets, lengths, length } = batch;
  return { bytes, offsets, lengths, length, recipe: undefined, sizes: lengths };
}

function unfilled(varied: VariedPackets): RunInput {
  const size = varied.byteLength();
  if (size > MAX_BATCH_BYTES) {
    throw new XdpError(
      'XDP_BATCH_TOO_LARGE',
      `runMany: the packets have ${size} bytes in all, one run takes ${MAX_BATCH_BYTES}: run them in several parts`,
    );
  }
  const column = (): Uint32Array => new Uint32Array(takeMemory(varied.length * 4), 0, varied.length);
  return {
    bytes: new Uint8Array(takeMemory(size), 0, size),
    offsets: column(),
    lengths: column(),
    length: varied.length,
    recipe: varied.recipe,
    sizes: varied.recipe.templates.map((template) => template.bytes.length),
  };
}

/** A source that keeps us waiting must not keep an abort waiting too. */
async function collectAsync(
  source: AsyncIterable<PacketLike>,
  builder: PacketBatchBuilder,
  signal: AbortSignal | undefined,
): Promise<void> {
  const iterator = source[Symbol.asyncIterator]();
  // One listener for all steps: a race with one promise for the abort would keep every step in memory.
  let wake: (() => void) | undefined;
  const onAbort = (): void => wake?.();
  signal?.addEventListener('abort', onAbort);
  let finished = false;
  try {
    for (;;) {
      const step = await new Promise<IteratorResult<PacketLike> | undefined>((resolve, reject) => {
        wake = () => resolve(undefined);
        Promise.resolve(iterator.next()).then(resolve, reject);
      });
      throwIfAborted(signal);
      if (step === undefined) continue;
      if (step.done === true) {
        finished = true;
        return;
      }
      builder.add(step.value);
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
    // Not awaited: a generator that is stuck in its next() would not come back from return() either.
    if (!finished) void Promise.resolve(iterator.return?.()).catch(() => {});
  }
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
export function checkSizes(input: RunInput, program: XdpProgram, limits: TestRunLimits): number {
  const { sizes } = input;
  let largest = 0;
  // By index: an iterator would cost ten times as much for each of a million.
  for (let i = 0; i < sizes.length; i++) {
    const size = sizes[i]!;
    if (size < limits.minPacketBytes || size > limits.maxLinearBytes) {
      checkPacketSize('runMany', size, program, limits, i);
    }
    if (size > largest) largest = size;
  }
  return largest;
}
