/** probeKernel: what the running kernel is and can do. */
import { existsSync } from 'node:fs';
import { availableParallelism, machine, release } from 'node:os';
import { describeValue, expectOptions, invalidArgument } from '../errors.ts';
import { native, RUN, testRun } from '../native.ts';
import { type DispatcherFacts, probeDispatcher } from './dispatcher.ts';
import { bareProgram, type TestRunLimits, testRunLimits } from './limits.ts';
import { type Privileges, readPrivileges, readText } from './privileges.ts';

/** What was found out about the running kernel. Plain data: it can be printed, stored and given to `planRun`. */
export interface KernelFacts {
  /** As `uname -r` prints it; for people only, nothing is concluded from it. */
  readonly release: string;
  /** As `uname -m` prints it. */
  readonly arch: string;
  /** CPUs that this process may use, and CPUs that per-CPU maps have values for. */
  readonly cpus: { readonly available: number; readonly possible: number };
  /** Whether programs are compiled; undefined where that cannot be read. */
  readonly jit: boolean | undefined;
  /** Whether the kernel describes its own types (/sys/kernel/btf/vmlinux). */
  readonly btf: boolean;
  readonly privileges: Privileges;
  readonly limits: TestRunLimits;
  readonly features: {
    /** Test runs take a context (5.15). */
    readonly context: boolean;
    /** xdp.frags programs and packets longer than a page (5.18). */
    readonly frags: boolean;
    /** BPF_F_TEST_XDP_LIVE_FRAMES (5.18), by its effect: older kernels ignore the flag. */
    readonly liveFrames: boolean;
    /** A program can be kept on the dispatcher by attaching it in a private namespace. */
    readonly parking: boolean;
  };
  readonly dispatcher: DispatcherFacts;
}

let known: KernelFacts | undefined;

/**
 * Finds out what the running kernel can do. Takes some 0.2 s at the first call, nothing afterwards.
 *
 * @param options `fresh`: measure again
 * @throws XdpError `XDP_NOT_PERMITTED` where XDP programs cannot be loaded, `XDP_UNSUPPORTED_PLATFORM`
 */
export function probeKernel(options?: { readonly fresh?: boolean }): KernelFacts {
  const { fresh = false } = expectOptions('probeKernel', options, ['fresh']);
  if (typeof fresh !== 'boolean') {
    throw invalidArgument(`probeKernel: fresh must be true or false, got ${describeValue(fresh)}`);
  }
  if (known === undefined || fresh) known = probe();
  return known;
}

function probe(): KernelFacts {
  const limits = testRunLimits();
  const dispatcher = probeDispatcher();
  return deepFreeze({
    release: release(),
    arch: machine(),
    cpus: { available: availableParallelism(), possible: native().possibleCpus() },
    jit: readJit(),
    btf: existsSync('/sys/kernel/btf/vmlinux'),
    privileges: readPrivileges(),
    limits,
    features: {
      context: limits.context,
      frags: limits.frags,
      liveFrames: probeLiveFrames(),
      parking: dispatcher.evidence.parkedNs !== undefined,
    },
    dispatcher,
  });
}

function readJit(): boolean | undefined {
  const text = readText('/proc/sys/net/core/bpf_jit_enable');
  return text === undefined ? undefined : text !== '0';
}

/** A live run's verdict is always 0; a kernel that ignores the flag gives the program's own (XDP_DROP, 1). */
function probeLiveFrames(): boolean {
  const BPF_F_TEST_XDP_LIVE_FRAMES = 2;
  const XDP_DROP = 1;
  const program = bareProgram(native(), false, XDP_DROP);
  try {
    const run = new Uint32Array(RUN.length);
    testRun(
      { program, packet: new Uint8Array(64), useContext: 1, flags: BPF_F_TEST_XDP_LIVE_FRAMES, batchSize: 1 },
      run,
    );
    return run[RUN.errno] === 0 && run[RUN.verdict] === 0;
  } finally {
    native().closeHandle(program);
  }
}

function deepFreeze<T>(value: T): T {
  if (value !== null && typeof value === 'object') {
    Object.freeze(value);
    for (const item of Object.values(value)) deepFreeze(item);
  }
  return value;
}
