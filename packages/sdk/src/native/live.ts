/** Live frames: runs in a namespace, and captures. */
import type { NativeHandle } from './handle.ts';

/** One BPF_PROG_TEST_RUN whose ingress interface is one of a namespace. */
export interface NativeNetnsRun {
  readonly program: NativeHandle | number;
  /** Metadata first, then the packet. */
  readonly packet: Uint8Array;
  readonly metadata: number;
  readonly repeat: number;
  readonly ingressIfindex: number;
  readonly rxQueue: number;
  readonly flags: number;
  readonly batchSize: number;
}

/** A packet socket's ring and the thread that empties it. */
export interface NativeCapture {
  readonly nativeCapture: unique symbol;
}

export interface NativeCaptureState {
  /** How many came so far, those that were forgotten among them. */
  readonly frames: number;
  /** Memory in use. */
  readonly bytes: number;
  /** Frames that the kernel dropped for want of room in the ring. */
  readonly dropped: number;
  /** Frames that found no room in our memory. */
  readonly overflowed: number;
  readonly errno: number;
}
