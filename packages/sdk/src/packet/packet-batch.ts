/**
 * PacketBatch: many packets in one contiguous buffer, with offsets and lengths beside it.
 * Every source of packets becomes one of these before it runs; engines and workers read it in place.
 */
import { describeValue, expectInteger, invalidArgument, XdpError } from '../errors.ts';

/** A packet as bytes, or any value that has its bytes, such as a built packet. */
export type PacketLike = Uint8Array | { readonly bytes: Uint8Array };

/** The largest sum of packet sizes in one batch: offsets are 32-bit. */
export const MAX_BATCH_BYTES = 0xffff_ffff;

/** The bytes of a packet-like value, not copied. Throws `XDP_INVALID_ARGUMENT` for anything else. */
export function packetBytes(packet: PacketLike, name = 'packet'): Uint8Array {
  if (packet instanceof Uint8Array) return packet;
  if (packet !== null && typeof packet === 'object' && packet.bytes instanceof Uint8Array)
    return packet.bytes;
  throw invalidArgument(
    `${name} must be a Uint8Array or an object with its bytes in \`bytes\` (a built packet), got ${describeValue(packet)}`,
  );
}

/**
 * Many packets in one buffer.
 *
 * Packet `i` is `bytes[offsets[i] .. offsets[i] + lengths[i])`. The three arrays live in shared memory where the
 * platform has it, so that worker threads read them without a copy. Treat a batch as frozen once it is made.
 */
export class PacketBatch implements Iterable<Uint8Array> {
  readonly bytes: Uint8Array;
  readonly offsets: Uint32Array;
  readonly lengths: Uint32Array;
  /** The number of packets. */
  readonly length: number;

  /**
   * A batch over columns that exist already; they are not copied.
   * @throws XdpError `XDP_INVALID_ARGUMENT` when the columns differ in length or a packet lies outside `bytes`.
   */
  constructor(bytes: Uint8Array, offsets: Uint32Array, lengths: Uint32Array) {
    if (!(bytes instanceof Uint8Array && offsets instanceof Uint32Array && lengths instanceof Uint32Array)) {
      throw invalidArgument(
        'PacketBatch: bytes must be a Uint8Array, offsets and lengths each a Uint32Array',
      );
    }
    if (offsets.length !== lengths.length) {
      throw invalidArgument(`PacketBatch: ${offsets.length} offsets but ${lengths.length} lengths`);
    }
    for (let i = 0; i < offsets.length; i++) {
      const end = offsets[i]! + lengths[i]!;
      if (end > bytes.length) {
        throw invalidArgument(
          `PacketBatch: packet ${i} ends at byte ${end}, but there are ${bytes.length} bytes`,
        );
      }
    }
    this.bytes = bytes;
    this.offsets = offsets;
    this.lengths = lengths;
    this.length = offsets.length;
  }

  /** Copies packets of any iterable into one batch. */
  static from(packets: Iterable<PacketLike>): PacketBatch {
    if (packets instanceof PacketBatch) return packets;
    const builder = new PacketBatchBuilder();
    for (const packet of packets) builder.add(packet);
    return builder.build();
  }

  /** Room for packets of known sizes, to be filled in place; `fill` gets a view of each packet's bytes, zeroed. */
  static allocate(lengths: ArrayLike<number>): PacketBatch {
    const count = lengths.length;
    const lengthColumn = new Uint32Array(sharedBuffer(count * 4));
    const offsetColumn = new Uint32Array(sharedBuffer(count * 4));
    let total = 0;
    for (let i = 0; i < count; i++) {
      const size = expectInteger(
        `PacketBatch.allocate: length of packet ${i}`,
        lengths[i],
        0,
        MAX_BATCH_BYTES,
      );
      lengthColumn[i] = size;
      offsetColumn[i] = total;
      total += size;
      if (total > MAX_BATCH_BYTES) throw tooLarge(total);
    }
    return new PacketBatch(new Uint8Array(sharedBuffer(total)), offsetColumn, lengthColumn);
  }

  /** A view (not a copy) of packet `index`; negative counts from the end; undefined outside. */
  at(index: number): Uint8Array | undefined {
    const i = index < 0 ? this.length + index : index;
    const offset = this.offsets[i];
    return offset === undefined ? undefined : this.bytes.subarray(offset, offset + this.lengths[i]!);
  }

  *[Symbol.iterator](): Iterator<Uint8Array> {
    for (let i = 0; i < this.length; i++) yield this.at(i)!;
  }
}

/** Grows a batch packet by packet. */
export class PacketBatchBuilder {
  #bytes = new Uint8Array(sharedBuffer(64 * 1024));
  #offsets = new Uint32Array(sharedBuffer(4 * 1024));
  #lengths = new Uint32Array(sharedBuffer(4 * 1024));
  #used = 0;
  #count = 0;

  /** The number of packets so far. */
  get length(): number {
    return this.#count;
  }

  add(packet: PacketLike): this {
    const bytes = packetBytes(packet, `packet ${this.#count}`);
    const end = this.#used + bytes.length;
    if (end > MAX_BATCH_BYTES) throw tooLarge(end);
    if (end > this.#bytes.length) {
      this.#bytes = grown(
        this.#bytes,
        new Uint8Array(sharedBuffer(Math.min(MAX_BATCH_BYTES, Math.max(end, this.#bytes.length * 2)))),
      );
    }
    if (this.#count === this.#offsets.length) {
      this.#offsets = grown(this.#offsets, new Uint32Array(sharedBuffer(this.#count * 8)));
      this.#lengths = grown(this.#lengths, new Uint32Array(sharedBuffer(this.#count * 8)));
    }
    this.#bytes.set(bytes, this.#used);
    this.#offsets[this.#count] = this.#used;
    this.#lengths[this.#count] = bytes.length;
    this.#used = end;
    this.#count += 1;
    return this;
  }

  /** The batch of all packets added; the builder must not be used afterwards. */
  build(): PacketBatch {
    return new PacketBatch(
      this.#bytes.subarray(0, this.#used),
      this.#offsets.subarray(0, this.#count),
      this.#lengths.subarray(0, this.#count),
    );
  }
}

function grown<T extends Uint8Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

function tooLarge(bytes: number): XdpError {
  return new XdpError(
    'XDP_BATCH_TOO_LARGE',
    `a batch holds at most ${MAX_BATCH_BYTES} bytes of packets, this one would have ${bytes}: run it in several parts`,
  );
}

/** Shared memory where there is any (a browser without cross-origin isolation has none). */
export function sharedBuffer(sizeBytes: number): SharedArrayBuffer | ArrayBuffer {
  return typeof SharedArrayBuffer === 'undefined'
    ? new ArrayBuffer(sizeBytes)
    : new SharedArrayBuffer(sizeBytes);
}
