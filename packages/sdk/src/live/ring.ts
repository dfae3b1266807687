/** All that arrives on an interface, in native memory: a packet socket's ring and the thread that empties it. */
import { invalidArgument } from '../errors.ts';
import { systemError } from '../kernel/index.ts';
import { type NativeCapture, type NativeCaptureState, native } from '../native.ts';
import { PacketBatch } from '../packet/index.ts';
import type { NamespaceCore } from './core.ts';
import { compileFilter, type FrameFilter } from './filter.ts';
import { AF_PACKET, SOCK_RAW } from './netlink/constants.ts';
import { packetAddress } from './sockaddr.ts';

const SOL_PACKET = 263;
const PACKET_ADD_MEMBERSHIP = 1;
const PACKET_IGNORE_OUTGOING = 23;
const PACKET_MR_PROMISC = 1;
const ETH_P_ALL = 3;
const BLOCK_BYTES = 256 * 1024;

export interface RingOptions {
  readonly ringBytes: number;
  readonly maxBytes: number;
  readonly direction: 'in' | 'both';
  readonly filter: FrameFilter | undefined;
}

/** Frames as columns. */
export interface FrameColumns {
  readonly batch: PacketBatch;
  /** Nanoseconds since 1970, when the kernel took the frame in. */
  readonly timestampsNs: BigUint64Array;
  /** Lengths on the wire. */
  readonly originalLengths: Uint32Array;
}

export class CaptureRing {
  readonly #capture: NativeCapture;
  /** Not the ring itself: the thread's callback must not keep it alive. */
  readonly #waiting: { wake: (() => void) | undefined };
  #last: NativeCaptureState | undefined;

  constructor(core: NamespaceCore, ifindex: number, name: string, options: RingOptions) {
    const addon = native();
    const waiting: { wake: (() => void) | undefined } = { wake: undefined };
    this.#waiting = waiting;
    // Without a protocol it hears nothing until it is bound: nothing of other interfaces gets in.
    const socket = core.socket(AF_PACKET, SOCK_RAW, 0);
    try {
      const check = (call: string, result: number): void => {
        if (result < 0) throw systemError(`opening a port on ${name}`, call, -result);
      };
      if (options.direction === 'in') {
        check(
          'PACKET_IGNORE_OUTGOING',
          addon.socketOption(socket, SOL_PACKET, PACKET_IGNORE_OUTGOING, int32(1)),
        );
      }
      // struct packet_mreq: frames for other MAC addresses, too.
      const membership = new Uint8Array(16);
      membership.set(int32(ifindex));
      membership.set(new Uint8Array(new Uint16Array([PACKET_MR_PROMISC]).buffer), 4);
      check(
        'PACKET_ADD_MEMBERSHIP',
        addon.socketOption(socket, SOL_PACKET, PACKET_ADD_MEMBERSHIP, membership),
      );
      if (options.filter !== undefined) {
        check('SO_ATTACH_FILTER', addon.socketFilter(socket, compileFilter(options.filter)));
      }
      const capture = addon.captureStart(
        socket,
        {
          blocks: Math.max(2, Math.ceil(options.ringBytes / BLOCK_BYTES)),
          blockBytes: BLOCK_BYTES,
          maxBytes: options.maxBytes,
        },
        () => waiting.wake?.(),
      );
      if (typeof capture === 'number') {
        throw systemError(`opening a port on ${name}`, 'PACKET_RX_RING', -capture);
      }
      this.#capture = capture;
      const bound = addon.socketBind(socket, packetAddress(ifindex, ETH_P_ALL));
      if (bound < 0) addon.captureStop(capture);
      check('bind', bound);
    } finally {
      addon.closeHandle(socket);
    }
  }

  state(): NativeCaptureState {
    this.#last = native().captureState(this.#capture, 0);
    return this.#last;
  }

  /** Resolves when that many frames have come since the opening, or after the time. */
  async waitFor(frames: number, timeoutMs: number): Promise<void> {
    if (this.#waiting.wake !== undefined) {
      throw invalidArgument('a port can be waited on by one capture at a time: await the first one');
    }
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve) => {
        this.#waiting.wake = resolve;
        timer = setTimeout(resolve, timeoutMs);
        // They may have come before the watermark was set.
        if (native().captureState(this.#capture, frames).frames >= frames) resolve();
      });
    } finally {
      clearTimeout(timer);
      this.#waiting.wake = undefined;
    }
  }

  /** Frames [from, to), numbered from the opening. */
  columns(from: number, to: number): FrameColumns {
    const count = to - from;
    const lengths = new Uint32Array(count);
    const originalLengths = new Uint32Array(count);
    const timestampsNs = new BigUint64Array(count);
    if (count > 0) native().captureColumns(this.#capture, from, lengths, originalLengths, timestampsNs);
    const batch = PacketBatch.allocate(lengths);
    if (count > 0) native().captureBytes(this.#capture, from, count, batch.bytes);
    return { batch, timestampsNs, originalLengths };
  }

  forget(upTo: number): void {
    native().captureForget(this.#capture, upTo);
  }

  stop(): void {
    // The counters are read for the last time: afterwards there is no socket to ask.
    this.state();
    native().captureStop(this.#capture);
    this.#waiting.wake?.();
  }
}

function int32(value: number): Uint8Array {
  return new Uint8Array(new Int32Array([value]).buffer);
}
