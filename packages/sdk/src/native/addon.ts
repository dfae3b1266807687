/**
 * The one place that names the addon's functions. Each of them is a thin step over libbpf or bpf(2) that trusts its
 * arguments: validation and messages are the business of the callers.
 */
import type { NativeHandle } from './handle.ts';
import type { NativeCapture, NativeCaptureState, NativeNetnsRun } from './live.ts';
import type { NativeFailure, NativeLoadConfig, NativeLoaded, NativeObject } from './objects.ts';
import type {
  NativeBatchRepeat,
  NativeBatchRepeatResult,
  NativeBatchSlice,
  NativeSlice,
  NativeSliceResult,
  NativeTiming,
} from './runs.ts';

/** The addon. A number in place of a handle or of bytes is a negative error number. */
export interface Native {
  closeHandle(handle: NativeHandle): void;
  handleNumber(handle: NativeHandle): number;
  duplicate(handle: NativeHandle | number): NativeHandle | number;
  /** The descriptor's number, which from now on the caller has to close. */
  releaseHandle(handle: NativeHandle): number;
  inspectObject(bytes: Uint8Array, name: string): NativeObject | NativeFailure;
  loadObject(bytes: Uint8Array, name: string, config: NativeLoadConfig): NativeLoaded | NativeFailure;
  mapLookup(map: NativeHandle, key: Uint8Array, valueSize: number): Uint8Array | number;
  mapUpdate(map: NativeHandle, key: Uint8Array, value: Uint8Array, flags: number): number;
  mapDelete(map: NativeHandle, key: Uint8Array): number;
  mapUpdateMany(
    map: NativeHandle,
    keys: Uint8Array,
    values: Uint8Array,
    count: number,
    flags: number,
  ): { readonly done: number; readonly errno: number };
  mapDeleteMany(
    map: NativeHandle,
    keys: Uint8Array,
    count: number,
  ): { readonly done: number; readonly errno: number };
  mapKeys(map: NativeHandle, keySize: number, limit: number): Uint8Array | number;
  mapValues(
    map: NativeHandle,
    keys: Uint8Array,
    count: number,
    valueSize: number,
  ): { readonly values: Uint8Array; readonly found: Uint8Array };
  mapPush(map: NativeHandle, value: Uint8Array): number;
  mapPop(map: NativeHandle, valueSize: number): Uint8Array | number;
  mapCreate(definition: {
    type: number;
    name: string;
    keySize: number;
    valueSize: number;
    maxEntries: number;
    flags: number;
  }): NativeHandle | number;
  mapById(id: number): NativeHandle | number;
  /** As the kernel has it: an inner map may differ from its definition here. */
  mapMaxEntries(map: NativeHandle): number;
  mapMemory(
    map: NativeHandle,
    size: number,
    offset: number,
    length: number,
    bytes?: Uint8Array,
  ): Uint8Array | number;
  mapDrain(map: NativeHandle): Uint8Array[] | number;
  pin(handle: NativeHandle, path: string): number;
  /** Called by {@link testRun}, which fills `settings`. */
  testRun(
    program: NativeHandle | number,
    packet: Uint8Array,
    output: Uint8Array | undefined,
    settings: Float64Array,
    result: Uint32Array,
  ): void;
  testRunSlice(slice: NativeSlice): NativeSliceResult;
  batchRunSlice(slice: NativeBatchSlice): NativeSliceResult & { readonly driverError: number };
  batchRepeat(repeat: NativeBatchRepeat): NativeBatchRepeatResult;
  testRunTimed(program: NativeHandle, repeat: number, calls: number, maxNs: number): NativeTiming;
  /**
   * A program that returns `verdict`, or without it what bpf_xdp_adjust_head says to the number in the first 4 bytes of
   * the packet: 0 when at least 14 linear bytes are left.
   */
  loadBareProgram(frags: number, verdict?: number, attach?: number): NativeHandle | number;
  attachTracing(program: NativeHandle): NativeHandle | number;
  park(program: NativeHandle | number): NativeHandle | number;
  netnsCreate(): NativeHandle | number;
  netnsSocket(netns: NativeHandle, family: number, type: number, protocol: number): NativeHandle | number;
  /** Attaches by a BPF link; closing the handle detaches. */
  netnsAttach(
    netns: NativeHandle,
    program: NativeHandle,
    ifindex: number,
    flags: number,
  ): NativeHandle | number;
  netnsMapUpdate(netns: NativeHandle, map: NativeHandle, key: Uint8Array, value: Uint8Array): number;
  netnsRead(netns: NativeHandle, path: string): Uint8Array | number;
  netnsWrite(netns: NativeHandle, path: string, bytes: Uint8Array): number;
  netnsRun(netns: NativeHandle, run: NativeNetnsRun): number;
  socketBind(socket: NativeHandle, address: Uint8Array): number;
  socketListen(socket: NativeHandle, backlog: number): number;
  socketConnect(socket: NativeHandle, address: Uint8Array, timeoutMs: number): Promise<number>;
  socketOption(socket: NativeHandle, level: number, name: number, value: Uint8Array): number;
  socketFilter(socket: NativeHandle, instructions: Uint8Array): number;
  socketEthtool(socket: NativeHandle, interfaceName: string, command: number, value: number): number;
  netlinkExchange(socket: NativeHandle, request: Uint8Array): Uint8Array | number;
  sendFrames(
    socket: NativeHandle,
    bytes: Uint8Array,
    offsets: Uint32Array,
    lengths: Uint32Array,
    slice: { readonly from: number; readonly to: number; readonly sliceNs: number; readonly burst?: number },
  ): {
    readonly next: number;
    readonly errno: number;
    /** Frames that were dropped on their way out (ENOBUFS), and sent again. */
    readonly again: number;
  };
  captureStart(
    socket: NativeHandle,
    ring: { readonly blocks: number; readonly blockBytes: number; readonly maxBytes: number },
    reached: () => void,
  ): NativeCapture | number;
  /** Also asks for a call at that many frames; 0 for none. */
  captureState(capture: NativeCapture, watermark: number): NativeCaptureState;
  captureColumns(
    capture: NativeCapture,
    from: number,
    lengths: Uint32Array,
    originalLengths: Uint32Array,
    timestamps: BigUint64Array,
  ): void;
  captureBytes(capture: NativeCapture, from: number, count: number, bytes: Uint8Array): void;
  captureForget(capture: NativeCapture, upTo: number): void;
  captureStop(capture: NativeCapture): void;
  /** Counts the values of a field in place; `shapes` as native/count_field.h has it. */
  countField(options: {
    readonly bytes: Uint8Array;
    readonly offsets: Uint32Array;
    readonly lengths: Uint32Array;
    readonly from: number;
    readonly width: number;
    readonly shapes: Int32Array;
  }): { readonly next: number; readonly at: Uint32Array; readonly counts: Uint32Array };
  possibleCpus(): number;
  collectGarbage(): void;
  adviseHugePages(bytes: Uint8Array): void;
}
