/** A port: frames sent and captured on an interface. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describeValue, expectInteger, expectOptions, invalidArgument, XdpError } from '../errors.ts';
import { systemError } from '../kernel/index.ts';
import { type NativeHandle, native } from '../native.ts';
import { dissect, type Packet, PacketBatch, type PacketLike, packetBytes } from '../packet/index.ts';
import type { NamespaceCore, Resource } from './core.ts';
import type { FrameFilter } from './filter.ts';
import { AF_PACKET, SOCK_RAW } from './netlink/constants.ts';
import { CaptureRing, type FrameColumns } from './ring.ts';
import { packetAddress } from './sockaddr.ts';

/** Options of a port. */
export interface PortOptions {
  /** Keeps other frames out, in the kernel. */
  readonly filter?: FrameFilter;
  /** `in` (the default): what arrives; `both`: also what leaves by this interface, from whatever socket. */
  readonly direction?: 'in' | 'both';
  /** The ring that the kernel writes to while nobody reads: default 8 MiB, some 50,000 small frames. */
  readonly ringBytes?: number;
  /** The most bytes of frames to keep. Default 1 GiB. */
  readonly maxBytes?: number;
}

/** Which frames to wait for. */
export interface CaptureOptions {
  /** How many. Default 1. */
  readonly count?: number;
  /** Default 1,000. */
  readonly timeoutMs?: number;
  /** Only frames for which it is true count; the others are skipped. */
  readonly where?: (packet: Packet) => boolean;
}

/** Frames that a port has heard, and those that it should have. */
export interface PortCounters {
  readonly captured: number;
  /** Lost because the ring was full, or because `maxBytes` was reached. */
  readonly lost: number;
}

/** What became of many frames. */
export interface SendReport {
  readonly sent: number;
  /** Of these, what the interface dropped (its counter txDropped): the other end could not take them. Those sent again are none. */
  readonly dropped: number;
  readonly elapsedNs: number;
}

/** A captured frame. */
export interface CapturedFrame {
  readonly packet: Packet;
  readonly bytes: Uint8Array;
  /** Nanoseconds since 1970, when the kernel took the frame in. */
  readonly timestampNs: bigint;
  /** The length on the wire. */
  readonly originalLength: number;
}

const SLICE_NS = 20e6;
const known = ['filter', 'direction', 'ringBytes', 'maxBytes'] as const;

/** A port on an interface: made by {@link NetworkInterface.open}; everything since then is captured. */
export class Port implements Resource {
  /** Namespace and interface, for messages and capture files. */
  readonly name: string;
  readonly #core: NamespaceCore;
  readonly #index: number;
  readonly #ring: CaptureRing;
  readonly #sender: NativeHandle;
  /** The first frame that no capture has had yet, and the first that is still kept. */
  #next = 0;
  #kept = 0;
  #lost = 0;
  #closed = false;

  /** @internal */
  constructor(core: NamespaceCore, place: { index: number; name: string }, options?: PortOptions) {
    const {
      filter,
      direction = 'in',
      ringBytes = 8 << 20,
      maxBytes = 1 << 30,
    } = expectOptions('open', options, known);
    if (direction !== 'in' && direction !== 'both') {
      throw invalidArgument(`open: direction must be 'in' or 'both', got ${describeValue(direction)}`);
    }
    expectInteger('open: ringBytes', ringBytes, 1, 1 << 30);
    expectInteger('open: maxBytes', maxBytes, 1, 2 ** 40);
    this.#core = core;
    this.#index = place.index;
    this.name = place.name;
    this.#ring = new CaptureRing(core, place.index, place.name, { filter, direction, ringBytes, maxBytes });
    this.#sender = core.socket(AF_PACKET, SOCK_RAW, 0);
    const bound = native().socketBind(this.#sender, packetAddress(place.index, 0));
    if (bound < 0) {
      this.#ring.stop();
      native().closeHandle(this.#sender);
      throw systemError(`opening a port on ${place.name}`, 'bind', -bound);
    }
    core.resources.add(this);
  }

  /** Sends frames, at once. Nothing is added to them: an Ethernet header is theirs to have. */
  send(...packets: readonly PacketLike[]): void {
    const batch = PacketBatch.from(packets.map((packet) => packetBytes(packet, 'send: packet')));
    for (let next = 0; next < batch.length; ) ({ next } = this.#sendSlice(batch, next));
  }

  /** Sends many frames; the event loop gets its turn every 20 ms. */
  async sendMany(packets: PacketBatch | Iterable<PacketLike>): Promise<SendReport> {
    const batch = PacketBatch.from(packets);
    const dropped = this.#dropped();
    const started = process.hrtime.bigint();
    let next = 0;
    let again = 0;
    while (next < batch.length) {
      const slice = this.#sendSlice(batch, next);
      next = slice.next;
      again += slice.again;
      await nextTurn();
    }
    const elapsedNs = Number(process.hrtime.bigint() - started);
    // A veth since 6.6 (151e887d8ff9, and backports) says that it dropped a frame, and counts it: it was sent again.
    const gone = Math.max(0, this.#dropped() - dropped - again);
    return { sent: batch.length, dropped: gone, elapsedNs };
  }

  /**
   * Gives the next frames that no capture has had yet, those among them that came before the call.
   * @throws XdpError `XDP_TIMEOUT` when too few came in time, with what did; `XDP_FRAMES_LOST` when the port had to
   *   drop frames since the last capture
   */
  async capture(options?: CaptureOptions): Promise<CapturedFrame[]> {
    const {
      count = 1,
      timeoutMs = 1000,
      where,
    } = expectOptions('capture', options, ['count', 'timeoutMs', 'where']);
    this.#checkWait(count, timeoutMs);
    const found: CapturedFrame[] = [];
    const skipped: CapturedFrame[] = [];
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const to = Math.min(this.#ring.state().frames, this.#next + count - found.length);
      for (const frame of framesOf(this.#ring.columns(this.#next, to))) {
        (where === undefined || where(frame.packet) ? found : skipped).push(frame);
      }
      this.#next = to;
      this.#throwIfLost();
      if (found.length >= count) return found;
      const left = deadline - performance.now();
      if (left <= 0 || this.#closed) throw this.#tooFew(found, skipped, count, timeoutMs);
      await this.#ring.waitFor(this.#next + count - found.length, left);
    }
  }

  /** Like {@link capture}, for frames by the million: as columns, with no object for each. */
  async captureMany(options: { readonly count: number; readonly timeoutMs?: number }): Promise<FrameColumns> {
    const { count, timeoutMs = 1000 } = expectOptions('captureMany', options, ['count', 'timeoutMs']);
    this.#checkWait(count, timeoutMs);
    await this.#ring.waitFor(this.#next + count, timeoutMs);
    const here = this.#ring.state().frames - this.#next;
    this.#throwIfLost();
    if (here < count) throw this.#tooFew(new Array(here), [], count, timeoutMs);
    const from = this.#next;
    this.#next += count;
    return this.#ring.columns(from, this.#next);
  }

  /** Takes all frames that came up to now. */
  take(): FrameColumns {
    const from = this.#next;
    this.#next = this.#ring.state().frames;
    this.#throwIfLost();
    return this.#ring.columns(from, this.#next);
  }

  /** All frames that are kept, those that captures have had among them. */
  all(): FrameColumns {
    return this.#ring.columns(this.#kept, this.#ring.state().frames);
  }

  /** Forgets everything that came up to now. */
  clear(): void {
    this.#next = this.#kept = this.#ring.state().frames;
    this.#ring.forget(this.#kept);
  }

  get counters(): PortCounters {
    const { frames, dropped, overflowed } = this.#ring.state();
    return { captured: frames, lost: dropped + overflowed };
  }

  /** Ends it. What it captured stays readable. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#core.resources.delete(this);
    this.#ring.stop();
    native().closeHandle(this.#sender);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #sendSlice(batch: PacketBatch, from: number): { readonly next: number; readonly again: number } {
    if (this.#closed) throw new XdpError('XDP_CLOSED', `port ${this.name} was closed`);
    const { next, errno, again } = native().sendFrames(
      this.#sender,
      batch.bytes,
      batch.offsets,
      batch.lengths,
      {
        from,
        to: batch.length,
        sliceNs: SLICE_NS,
      },
    );
    if (errno !== 0) throw systemError(`sending frame ${next} on ${this.name}`, 'sendmmsg', errno);
    return { next, again };
  }

  #dropped(): number {
    return this.#core.linkState(this.#index).counters.txDropped;
  }

  #checkWait(count: number, timeoutMs: number): void {
    expectInteger('capture: count', count, 1, 0xffff_ffff);
    expectInteger('capture: timeoutMs', timeoutMs, 0, 0x7fff_ffff);
  }

  /** Each loss is told once, to the capture that it may have happened to. */
  #throwIfLost(): void {
    const { lost } = this.counters;
    const since = lost - this.#lost;
    this.#lost = lost;
    if (since === 0) return;
    throw new XdpError(
      'XDP_FRAMES_LOST',
      `port ${this.name}: ${since} frames were lost: ring or memory were full; open it with more ringBytes (or maxBytes), or with a filter`,
    );
  }

  #tooFew(
    found: readonly unknown[],
    skipped: readonly CapturedFrame[],
    count: number,
    timeoutMs: number,
  ): XdpError {
    const others = skipped.slice(0, 5).map((frame) => `\n  skipped: ${frame.packet}`);
    const more = skipped.length > 5 ? `\n  and ${skipped.length - 5} more` : '';
    return new XdpError(
      'XDP_TIMEOUT',
      `port ${this.name}: ${found.length} of ${count} frames came in ${timeoutMs} ms${others.join('')}${more}`,
      { completed: found.length },
    );
  }
}

/** The frames of columns, each with its packet dissected when it is asked for. */
export function framesOf(columns: FrameColumns): CapturedFrame[] {
  const { batch, timestampsNs, originalLengths } = columns;
  return Array.from({ length: batch.length }, (_, i) => {
    const bytes = batch.at(i)!;
    let packet: Packet | undefined;
    return {
      bytes,
      timestampNs: timestampsNs[i]!,
      originalLength: originalLengths[i]!,
      get packet(): Packet {
        packet ??= dissect(bytes);
        return packet;
      },
    };
  });
}
