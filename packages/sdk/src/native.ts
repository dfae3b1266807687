/**
 * Loads the native addon; the one place that names its functions. Each of them is a thin step over libbpf or bpf(2)
 * that trusts its arguments: validation and messages are the business of the callers.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { XdpError } from './errors.ts';

/** A descriptor owned by JavaScript: closed by `closeHandle`, at the latest by the garbage collector. */
export interface NativeHandle {
  readonly nativeHandle: unique symbol;
}

export interface NativeMap {
  readonly name: string;
  readonly type: number;
  readonly keySize: number;
  readonly valueSize: number;
  readonly maxEntries: number;
  readonly flags: number;
  /** BTF type ids; 0 where the object says nothing. */
  readonly keyType: number;
  readonly valueType: number;
  /** One of libbpf's own: .rodata, .data, .bss, .kconfig. */
  readonly internal: boolean;
  readonly pinByName: boolean;
  readonly initialValue?: Uint8Array;
  readonly inner?: NativeMap;
}

export interface NativeProgram {
  readonly name: string;
  readonly section: string;
  /** enum bpf_prog_type; 0 when libbpf does not know the section. */
  readonly type: number;
  readonly expectedAttachType: number;
  readonly flags: number;
  readonly instructions: number;
  readonly autoload: boolean;
}

/** One BTF type; the index in the list is its id, index 0 (void) is a hole. */
export type NativeType = { readonly name: string } & (
  | { readonly kind: 'int'; readonly size: number; readonly bits: number; readonly encoding: number }
  | { readonly kind: 'float'; readonly size: number }
  | { readonly kind: 'pointer' | 'typedef' | 'modifier' | 'variable'; readonly type: number }
  | { readonly kind: 'array'; readonly type: number; readonly count: number }
  | {
      readonly kind: 'struct' | 'union';
      readonly size: number;
      readonly members: readonly {
        readonly name: string;
        readonly type: number;
        readonly bitOffset: number;
        readonly bitSize: number;
      }[];
    }
  | {
      readonly kind: 'enum';
      readonly size: number;
      readonly signed: boolean;
      readonly values: readonly { readonly name: string; readonly value: number | bigint }[];
    }
  | {
      readonly kind: 'section';
      readonly size: number;
      readonly variables: readonly {
        readonly type: number;
        readonly offset: number;
        readonly size: number;
      }[];
    }
  | { readonly kind: 'other' }
);

export interface NativeFailure {
  readonly errno: number;
  readonly stage: 'open' | 'configure' | 'load';
  /** What libbpf printed. */
  readonly messages: string;
  readonly log?: string;
  readonly program?: string;
}

export interface NativeObject {
  readonly programs: readonly NativeProgram[];
  readonly maps: readonly NativeMap[];
  readonly types?: readonly NativeType[];
}

export interface NativeLoadConfig {
  readonly programs: readonly {
    readonly name: string;
    readonly autoload?: number;
    readonly type?: number;
    readonly expectedAttachType?: number;
    readonly flags?: number;
  }[];
  readonly maps: readonly {
    readonly name: string;
    readonly maxEntries?: number;
    readonly initialValue?: Uint8Array;
    readonly innerFd?: number;
  }[];
  readonly logLevel?: number;
  readonly pinRoot?: string;
}

export interface NativeLoaded {
  readonly programs: Readonly<
    Record<string, { readonly handle: NativeHandle; readonly id: number; readonly mayRedirect: boolean }>
  >;
  readonly maps: Readonly<
    Record<string, { readonly handle: NativeHandle; readonly id: number; readonly maxEntries: number }>
  >;
  readonly log?: string;
}

export interface NativeRun {
  readonly program: NativeHandle | number;
  /** Metadata first, then the packet. */
  readonly packet: Uint8Array;
  readonly metadata?: number | undefined;
  readonly output?: Uint8Array | undefined;
  readonly repeat?: number | undefined;
  readonly ingressIfindex?: number | undefined;
  readonly rxQueue?: number | undefined;
  readonly useContext?: number | undefined;
  readonly timeoutMs?: number | undefined;
  readonly cpu?: number | undefined;
  readonly flags?: number | undefined;
  readonly batchSize?: number | undefined;
}

/** Where `testRun` writes what came back, in a Uint32Array. */
export const RUN = {
  errno: 0,
  verdict: 1,
  outputSize: 2,
  durationNs: 3,
  retries: 4,
  data: 5,
  dataEnd: 6,
  ingressIfindex: 7,
  rxQueue: 8,
  /** Why the thread could not be bound to the CPU asked for, so that nothing ran; 0 otherwise. */
  pinErrno: 9,
  length: 10,
} as const;

/** The columns and bounds of one native slice; every array may lie in shared memory. */
export interface NativeSlice {
  readonly program: NativeHandle | number;
  readonly bytes: Uint8Array;
  readonly offsets: Uint32Array;
  readonly lengths: Uint32Array;
  readonly verdicts: Uint32Array;
  readonly outLengths: Uint32Array;
  readonly outOffsets: Uint32Array;
  readonly outMetadata: Uint32Array;
  readonly outBytes?: Uint8Array | undefined;
  readonly outPosition?: number;
  readonly outEnd?: number;
  /** Room that must be left for one output. */
  readonly outRoom?: number;
  readonly from: number;
  readonly to: number;
  readonly sliceNs: number;
  readonly ingressIfindex?: number;
  readonly rxQueue?: number;
  readonly useContext?: number;
}

/** A slice for the batch driver. */
export interface NativeBatchSlice extends Omit<NativeSlice, 'program'> {
  readonly driver: NativeHandle;
  /** The driver's .bss. */
  readonly memory: NativeHandle;
  /** enum driver_flags of native/bpf/driver.h. */
  readonly flags: number;
  readonly ns?: Uint32Array | undefined;
  readonly redirectTargets?: Uint32Array | undefined;
  readonly redirectMaps?: Uint32Array | undefined;
}

/** One packet again and again, for benchmarks. */
export interface NativeBatchRepeat {
  readonly driver: NativeHandle;
  readonly memory: NativeHandle;
  readonly packet: Uint8Array;
  readonly runs: number;
  readonly flags: number;
  readonly ingressIfindex?: number;
  readonly rxQueue?: number;
  readonly useContext?: number;
}

export interface NativeBatchRepeatResult {
  readonly done: number;
  readonly elapsedNs: number;
  readonly retries: number;
  readonly errno: number;
  readonly driverError: number;
}

export interface NativeSliceResult {
  /** The first packet that has not run. */
  readonly next: number;
  readonly outPosition: number;
  readonly retries: number;
  /** What stopped it at packet `next`, or 0. */
  readonly errno: number;
}

export interface NativeTiming {
  readonly calls: number;
  readonly medianNs: number;
  readonly voluntarySwitches: number;
  readonly errno: number;
}

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

const settings = new Float64Array(9);

/** One test run; what came back is in `result` afterwards, see {@link RUN}. */
export function testRun(run: NativeRun, result: Uint32Array): void {
  // In the order of test_run.c.
  settings[0] = run.metadata ?? 0;
  settings[1] = run.repeat ?? 1;
  settings[2] = run.ingressIfindex ?? 0;
  settings[3] = run.rxQueue ?? 0;
  settings[4] = run.useContext ?? 1;
  settings[5] = run.timeoutMs ?? 0;
  settings[6] = run.cpu ?? -1;
  settings[7] = run.flags ?? 0;
  settings[8] = run.batchSize ?? 0;
  native().testRun(run.program, run.packet, run.output, settings, result);
}

const prebuilds = new URL('../prebuilds/', import.meta.url);
let loaded: Native | undefined;

/**
 * The addon, loaded at the first use, so that importing the package works on every system.
 * @throws XdpError `XDP_UNSUPPORTED_PLATFORM`, `XDP_LIBRARY_MISSING`
 */
export function native(): Native {
  loaded ??= load(process.platform, process.arch);
  return loaded;
}

/** The compiled BPF object `name` that ships with the package. */
export function bundledBpfObject(name: string): string {
  return fileURLToPath(new URL(`bpf/${name}.bpf.o`, prebuilds));
}

/** Exported for tests of its errors. */
export function load(platform: string, arch: string): Native {
  if (platform !== 'linux') {
    throw new XdpError(
      'XDP_UNSUPPORTED_PLATFORM',
      `XDP programs run in the Linux kernel, and this is ${platform}: run the tests on Linux (a virtual machine or a CI runner will do)`,
    );
  }
  const path = fileURLToPath(new URL(`linux-${arch}/xdptest.node`, prebuilds));
  if (!existsSync(path)) {
    throw new XdpError(
      'XDP_UNSUPPORTED_PLATFORM',
      `there is no native addon for linux-${arch} in this installation (looked for ${path}): build it there with \`make -C native\` in a checkout of the project`,
    );
  }
  try {
    return createRequire(import.meta.url)(path) as Native;
  } catch (cause) {
    throw addonLoadError(path, cause);
  }
}

/** What the dynamic linker says, turned into what to do. Exported for tests. */
export function addonLoadError(path: string, cause: unknown): XdpError {
  const text = cause instanceof Error ? cause.message : String(cause);
  const library = /(lib[\w+-]+\.so[.\d]*): cannot open shared object file/.exec(text)?.[1];
  if (library !== undefined) {
    return new XdpError(
      'XDP_LIBRARY_MISSING',
      `the native addon needs ${library}, which is not installed: apt-get install libbpf1 (Debian, Ubuntu), dnf install libbpf (Fedora, RHEL), apk add libbpf (Alpine)`,
      { cause },
    );
  }
  if (/wrong ELF class|invalid ELF header|cannot open shared object file: .*machine/.test(text)) {
    return new XdpError('XDP_UNSUPPORTED_PLATFORM', `${path} is no addon for this machine: ${text}`, {
      cause,
    });
  }
  if (/version `?(GLIBC|LIBBPF)_[\d.]+'? not found/.test(text)) {
    return new XdpError(
      'XDP_LIBRARY_MISSING',
      `a system library is older than the native addon needs: ${text}`,
      {
        cause,
      },
    );
  }
  return new XdpError('XDP_UNSUPPORTED_PLATFORM', `the native addon ${path} cannot be loaded: ${text}`, {
    cause,
  });
}
