/** runXdp: one packet through a program, at once. */
import { constants } from 'node:os';
import { expectInteger, expectOptions, XdpError } from '../errors.ts';
import { probeKernel, systemError, testRunLimits } from '../kernel/index.ts';
import { native, RUN, testRun } from '../native.ts';
import { programHandle, type XdpProgram } from '../object/index.ts';
import { type PacketLike, packetBytes } from '../packet/index.ts';
import { batchSupport } from './batch-support.ts';
import { checkContext, checkMetadata, checkPacketSize, checkProgram, type RunContext } from './checks.ts';
import type { BatchDriver } from './engines/driver.ts';
import { fitsDriver } from './engines/driver-limits.ts';
import { runSingle } from './engines/single.ts';
import { withParked } from './parking.ts';
import { planRun } from './plan.ts';
import { redirectTarget } from './redirect.ts';
import { RunResult, sameBytes } from './run-result.ts';

/** Options of {@link runXdp}. */
export interface RunOptions {
  /** What the program sees beside the packet; kernel 5.15. */
  readonly context?: RunContext;
  /** Bytes in front of the packet, as a driver would leave them (data_meta to data); kernel 5.15. */
  readonly metadata?: Uint8Array;
  /**
   * How often to run the packet, default 1. Each run gets the packet as it was given: where the program changes it, so
   * many single calls are made. The result is that of the last run, `durationNs` the mean.
   */
  readonly repeat?: number;
  /** Gives up when this much time is over, default 30,000. A single run cannot be stopped; repeats and retries can. */
  readonly timeoutMs?: number;
  /** Runs on this CPU, for per-CPU state that a test wants to know the place of. */
  readonly cpu?: number;
}

const known = ['context', 'metadata', 'repeat', 'timeoutMs', 'cpu'] as const;
const MAX_REPEAT = 0x7fff_ffff;
const { EINTR, ENOSPC, ENODEV, EINVAL } = constants.errno;

/** Larger than any output can be: a longest packet, and what a program can put in front of it. */
const OUTPUT_BYTES = 256 * 1024;
const output = new Uint8Array(OUTPUT_BYTES);
const result = new Uint32Array(RUN.length);

/** A call with its arguments checked. */
interface CheckedRun {
  readonly program: XdpProgram;
  /** Metadata, then the packet. */
  readonly input: Uint8Array;
  readonly metadataBytes: number;
  readonly context: Required<RunContext>;
  readonly cpu: number;
  readonly deadline: number;
}

/**
 * Runs one packet through a program and gives back what became of it.
 *
 * @param packet at least 14 bytes on most kernels; at most 3,520 (4 KiB pages), with SEC("xdp.frags") 73,152
 * @throws XdpError `XDP_PACKET_TOO_SHORT`, `XDP_PACKET_TOO_LONG`, `XDP_METADATA_INVALID`, `XDP_CONTEXT_UNSUPPORTED`,
 *   `XDP_NO_SUCH_INTERFACE`, `XDP_NOT_XDP`, `XDP_NOT_LOADED`, `XDP_CLOSED`, `XDP_TIMEOUT`, `XDP_NOT_PERMITTED`,
 *   `XDP_PACKET_CHANGED`
 * @see net/bpf/test_run.c, bpf_prog_test_run_xdp
 */
export function runXdp(program: XdpProgram, packet: PacketLike, options?: RunOptions): RunResult {
  checkProgram('runXdp', program);
  const bytes = packetBytes(packet, 'runXdp: packet');
  const { context, metadata, repeat = 1, timeoutMs = 30_000, cpu } = expectOptions('runXdp', options, known);
  expectInteger('runXdp: repeat', repeat, 1, MAX_REPEAT);
  expectInteger('runXdp: timeoutMs', timeoutMs, 1, MAX_REPEAT);
  if (cpu !== undefined) expectInteger('runXdp: cpu', cpu, 0, native().possibleCpus() - 1);
  const limits = testRunLimits();
  const meta = metadata === undefined ? undefined : checkMetadata('runXdp', metadata, limits);
  checkPacketSize('runXdp', bytes.length, program, limits);
  const run: CheckedRun = {
    program,
    input: meta === undefined || meta.length === 0 ? bytes : concatenated(meta, bytes),
    metadataBytes: meta?.length ?? 0,
    context: checkContext('runXdp', context, limits),
    cpu: cpu ?? -1,
    deadline: performance.now() + timeoutMs,
  };
  const first = once(run);
  return repeat === 1 ? first : repeated(run, first, repeat);
}

function once(run: CheckedRun): RunResult {
  const driver = redirectTeller(run);
  if (driver !== undefined) return onceInDriver(run, driver);
  call(run, 1, output);
  return takeResult(run, result[RUN.durationNs]!, result[RUN.retries]!);
}

/** The batch driver, where it can tell more of this run than a single call: the target of a redirect. */
function redirectTeller(run: CheckedRun): BatchDriver | undefined {
  const { program, input, metadataBytes, cpu } = run;
  if (!program.mayRedirect || metadataBytes > 0 || cpu >= 0 || !fitsDriver(input.length)) return undefined;
  const support = batchSupport(program);
  return 'driver' in support && support.driver.tellsRedirects ? support.driver : undefined;
}

function onceInDriver(run: CheckedRun, driver: BatchDriver): RunResult {
  const { program, context } = run;
  const hasContext = testRunLimits().context;
  const single = runSingle(driver, programHandle(program), run.input, context, hasContext);
  if (single.errno !== 0) throw runError('runXdp', run, single.errno, single.retries);
  return new RunResult({
    verdict: single.verdict,
    packet: single.output.subarray(single.metadataBytes),
    metadata: single.output.subarray(0, single.metadataBytes),
    context: hasContext ? context : undefined,
    durationNs: single.durationNs,
    retries: single.retries,
    input: run.input,
    inputMetadata: new Uint8Array(0),
    redirect: redirectTarget(program, single.redirectMap, single.redirectTarget),
  });
}

/** One system call; its results are in `result` afterwards. */
function call(run: CheckedRun, repeat: number, out: Uint8Array | undefined): void {
  testRun(
    {
      program: programHandle(run.program),
      packet: run.input,
      metadata: run.metadataBytes,
      output: out,
      repeat,
      ingressIfindex: run.context.ingressIfindex,
      rxQueue: run.context.rxQueue,
      useContext: testRunLimits().context ? 1 : 0,
      timeoutMs: Math.max(1, Math.ceil(run.deadline - performance.now())),
      cpu: run.cpu,
    },
    result,
  );
  if (result[RUN.pinErrno] !== 0) throw cpuError(run.cpu, result[RUN.pinErrno]!);
  if (result[RUN.errno] !== 0) throw runError('runXdp', run, result[RUN.errno]!, result[RUN.retries]!);
}

function cpuError(cpu: number, errno: number): XdpError {
  const details = { syscall: 'sched_setaffinity', errno };
  if (errno !== EINVAL)
    return systemError(`runXdp: binding the thread to CPU ${cpu}`, 'sched_setaffinity', errno);
  return new XdpError(
    'XDP_INVALID_ARGUMENT',
    `runXdp: CPU ${cpu} is not there, or this process may not use it (see taskset -p, cgroup cpuset.cpus)`,
    details,
  );
}

function takeResult(run: CheckedRun, durationNs: number, retries: number): RunResult {
  const size = result[RUN.outputSize]!;
  const metadataBytes = result[RUN.data]!;
  return new RunResult({
    verdict: result[RUN.verdict]!,
    packet: output.slice(metadataBytes, size),
    metadata: output.slice(0, metadataBytes),
    context: testRunLimits().context
      ? { ingressIfindex: result[RUN.ingressIfindex]!, rxQueue: result[RUN.rxQueue]! }
      : undefined,
    durationNs,
    retries,
    input: run.input.subarray(run.metadataBytes),
    inputMetadata: run.input.subarray(0, run.metadataBytes),
    redirect: undefined,
  });
}

/**
 * The remaining runs of a repeated one. The kernel does not restore the packet between the runs of one call, so its own
 * repeat is used only when the first run left the packet alone.
 */
function repeated(run: CheckedRun, first: RunResult, repeat: number): RunResult {
  const plan = planRun(
    {
      runs: repeat - 1,
      distinct: false,
      changesPacket: first.changed,
      largestBytes: run.input.length,
      outputs: 'packets',
    },
    probeKernel(),
  );
  return withParked(run.program, plan.parked, () => {
    let meanNs = first.durationNs;
    let totalNs = meanNs;
    let { retries } = first;
    for (let left = repeat - 1; left > 0; ) {
      const now = plan.repeat === 1 ? 1 : Math.min(left, runsPerSlice(plan.sliceMs, meanNs));
      call(run, now, output);
      meanNs = result[RUN.durationNs]!;
      totalNs += meanNs * now;
      retries += result[RUN.retries]!;
      left -= now;
      if (now > 1 && outputDiffers(run)) throw packetChanged(run, now);
      if (left > 0 && performance.now() >= run.deadline) {
        throw new XdpError(
          'XDP_TIMEOUT',
          `runXdp: the time is over after ${repeat - left} of ${repeat} runs`,
          {
            completed: repeat - left,
          },
        );
      }
    }
    return takeResult(run, Math.round(totalNs / repeat), retries);
  });
}

/** How many runs fill a slice, by the last call's mean: a native call can be stopped by nothing. */
function runsPerSlice(sliceMs: number, meanNs: number): number {
  // The mean may be 0, and that of a single run has the clock in it, or cold caches: it is corrected from call to call.
  return Math.max(1, Math.floor((sliceMs * 1e6) / Math.max(10, meanNs)));
}

/** Whether the last run left another packet than the one that was given, metadata included. */
function outputDiffers(run: CheckedRun): boolean {
  return (
    result[RUN.data]! !== run.metadataBytes ||
    !sameBytes(output.subarray(0, result[RUN.outputSize]!), run.input)
  );
}

/** A program may leave the first packet alone and change a later one: its further runs were on its own output. */
function packetChanged(run: CheckedRun, runs: number): XdpError {
  return new XdpError(
    'XDP_PACKET_CHANGED',
    `runXdp: program ${run.program.name} left the packet alone at first, and changed it in one of ${runs} repeats of one call, between which the kernel does not restore it: call runXdp ${runs} times without repeat`,
  );
}

function concatenated(a: Uint8Array, b: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(a.length + b.length);
  bytes.set(a);
  bytes.set(b, a.length);
  return bytes;
}

/** What an error number of BPF_PROG_TEST_RUN means for XDP, after all the checks before the call. */
export function runError(
  where: string,
  run: { readonly program: XdpProgram; readonly context: Required<RunContext> },
  errno: number,
  retries: number,
): XdpError {
  const details = { syscall: 'BPF_PROG_TEST_RUN', errno };
  const { ingressIfindex, rxQueue } = run.context;
  if (errno === EINTR) {
    return new XdpError(
      'XDP_INTERRUPTED',
      `${where}: signals interrupted the run ${retries + 1} times until the time was over`,
      details,
    );
  }
  if (errno === ENOSPC) {
    return new XdpError(
      'XDP_OUTPUT_TRUNCATED',
      `${where}: the program returned more than ${OUTPUT_BYTES} bytes`,
      details,
    );
  }
  if (errno === ENODEV && ingressIfindex !== 0) {
    return new XdpError(
      'XDP_NO_SUCH_INTERFACE',
      `${where}: there is no interface with index ${ingressIfindex} here`,
      details,
    );
  }
  if (errno === EINVAL && ingressIfindex !== 0) {
    return new XdpError(
      'XDP_NO_SUCH_INTERFACE',
      `${where}: interface ${ingressIfindex} has no receive queue ${rxQueue}, or none that XDP has registered`,
      details,
    );
  }
  return systemError(`${where}: running ${run.program.name}`, 'BPF_PROG_TEST_RUN', errno);
}
