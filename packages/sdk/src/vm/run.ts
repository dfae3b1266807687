/** Runs a command on one kernel or on several: the public functions of this room. */
import type { Duplex } from 'node:stream';
import { expectInteger, expectOptions, invalidArgument, XdpError } from '../errors.ts';
import { type AcceleratorChoice, planAccelerator } from './accelerator.ts';
import type { KernelTrouble } from './console.ts';
import { GUEST_REPORT_DIRECTORY } from './guest-init.ts';
import { runOnHost } from './host.ts';
import type { KernelImage } from './image.ts';
import { parseKernelName, resolveKernel } from './kernels.ts';
import { type MachineResult, type OutputStream, runMachine } from './machine.ts';
import { type Judgement, mayRetry, type Outcome } from './outcome.ts';
import { textCollector } from './output.ts';
import {
  countRecords,
  countsFromOutput,
  recordsFromFiles,
  type TestCounts,
  type TestRecord,
} from './records.ts';
import { reportVariables } from './report-environment.ts';
import type { RootChoice } from './root.ts';

/** What is common to all kernels of a run. */
export interface KernelRunOptions {
  /** The program and its arguments; no shell is involved. It runs as root in a guest, as you on `host`. */
  readonly command: readonly string[];
  /** Default: this process's. The guest sees it under the same path. */
  readonly cwd?: string;
  /** Default: this process's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Kernel modules to load before the command; what they depend on comes along. */
  readonly modules?: readonly string[];
  /** Without a shared root: more files and directories of the host that the guest needs. */
  readonly files?: readonly string[];
  /** Processors of the guest. Default 2. */
  readonly smp?: number;
  /** Memory of the guest. Default 2048. */
  readonly memoryMiB?: number;
  /** For the command, from its start. Default 10 minutes. */
  readonly timeoutMs?: number;
  /** From power-on to the start of the command. Default 2 minutes. */
  readonly bootTimeoutMs?: number;
  readonly root?: RootChoice;
  readonly accelerator?: AcceleratorChoice;
  /** More of the kernel's command line. */
  readonly append?: string;
  /** Ask Debian for its newest kernel of that name even if an older one is cached. */
  readonly refresh?: boolean;
  /** Receives the output as it comes. */
  readonly onOutput?: (kernel: string, stream: OutputStream, chunk: Uint8Array) => void;
  /** After the command, a shell of the guest on this stream. */
  readonly shell?: (port: Duplex) => void;
  /**
   * Receives a two-way stream of bytes to the command, which has the other end as descriptor 3. In a machine only, whose
   * kernel has virtio_console; on `host` it is never called.
   */
  readonly channel?: (port: Duplex) => void;
  /** Called at once when the kernel reports trouble; what becomes of the run is told at its end. */
  readonly onTrouble?: (trouble: KernelTrouble, line: string) => void;
  readonly signal?: AbortSignal;
}

export interface RunInKernelOptions extends KernelRunOptions {
  /** `host`, `debian:5.10`, `5.10`, `debian:bookworm`, or the path of a directory, a vmlinuz or a .deb. */
  readonly kernel: string;
}

export interface RunOnKernelsOptions extends KernelRunOptions {
  readonly kernels: readonly string[];
  /** How many machines at once. Default 1: under emulation each one takes a processor. */
  readonly jobs?: number;
}

/** What became of the command on one kernel. */
export interface KernelRun extends Judgement {
  /** As it was asked for. */
  readonly kernel: string;
  /** `uname -r` of the kernel that really ran. */
  readonly release: string | undefined;
  readonly outcome: Outcome;
  readonly exitCode: number | undefined;
  /** From the report the command left, or from its closing line; undefined if it gave neither. */
  readonly counts: TestCounts | undefined;
  readonly tests: readonly TestRecord[];
  /** Other files that the command left in XDPTEST_REPORT_DIR. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly stdout: string;
  readonly stderr: string;
  /** The end of the kernel's console, or what followed its first report. */
  readonly consoleTail: readonly string[];
  /** WARNINGs that the kernel printed. */
  readonly warnings: readonly string[];
  readonly seconds: number;
  /** 2 if the first machine broke; `firstTry` says how. */
  readonly attempts: number;
  readonly firstTry: string;
  /** How the guest ran: `tcg, 9p root`. */
  readonly how: string;
}

const known = [
  ...['command', 'cwd', 'env', 'modules', 'files', 'smp', 'memoryMiB', 'timeoutMs', 'bootTimeoutMs', 'root'],
  ...['accelerator', 'append', 'refresh', 'onOutput', 'shell', 'channel', 'onTrouble', 'signal'],
];

/** More is cut off; the stream itself is not. */
const MAX_OUTPUT_BYTES = 16 << 20;

interface Settings
  extends Required<
    Omit<KernelRunOptions, 'onOutput' | 'shell' | 'channel' | 'onTrouble' | 'signal' | 'env'>
  > {
  readonly env: Readonly<Record<string, string>>;
  readonly onOutput: KernelRunOptions['onOutput'] | undefined;
  readonly shell: KernelRunOptions['shell'] | undefined;
  readonly channel: KernelRunOptions['channel'] | undefined;
  readonly onTrouble: KernelRunOptions['onTrouble'] | undefined;
  readonly signal: AbortSignal | undefined;
}

function settings(options: KernelRunOptions): Settings {
  const words = Array.isArray(options.command) ? (options.command as readonly unknown[]) : [];
  if (words.length === 0 || !words.every((word) => typeof word === 'string')) {
    throw invalidArgument('command must be a program and its arguments, as an array of strings');
  }
  const env = Object.entries(options.env ?? process.env).filter((entry) => entry[1] !== undefined);
  return {
    command: options.command,
    cwd: options.cwd ?? process.cwd(),
    env: Object.fromEntries(env as [string, string][]),
    modules: options.modules ?? [],
    files: options.files ?? [],
    smp: expectInteger('smp', options.smp ?? 2, 1, 64),
    memoryMiB: expectInteger('memoryMiB', options.memoryMiB ?? 2048, 128, 1 << 20),
    timeoutMs: expectInteger('timeoutMs', options.timeoutMs ?? 600_000, 1, 7 * 24 * 3600_000),
    bootTimeoutMs: expectInteger('bootTimeoutMs', options.bootTimeoutMs ?? 120_000, 1, 3600_000),
    root: options.root ?? 'auto',
    accelerator: options.accelerator ?? 'auto',
    append: options.append ?? '',
    refresh: options.refresh ?? false,
    onOutput: options.onOutput,
    shell: options.shell,
    channel: options.channel,
    onTrouble: options.onTrouble,
    signal: options.signal,
  };
}

/** Runs a command on one kernel. It throws on a wrong request only; all else is told by the result's `outcome`. */
export async function runInKernel(options: RunInKernelOptions): Promise<KernelRun> {
  const { kernel, ...rest } = expectOptions('runInKernel', options, ['kernel', ...known]);
  return runOne(kernel, settings(rest));
}

/** Runs a command on several kernels, and gives the results in the order of the names. */
export async function runOnKernels(options: RunOnKernelsOptions): Promise<KernelRun[]> {
  const {
    kernels,
    jobs = 1,
    ...rest
  } = expectOptions('runOnKernels', options, ['kernels', 'jobs', ...known]);
  expectInteger('jobs', jobs, 1, 64);
  // A wrong name is told before the first machine starts, not after.
  for (const name of kernels) parseKernelName(name);
  const common = settings(rest);
  const results: KernelRun[] = new Array(kernels.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < kernels.length; index = next++) {
      results[index] = await runOne(kernels[index] ?? '', common);
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs, kernels.length) }, worker));
  return results;
}

async function runOne(kernel: string, options: Settings): Promise<KernelRun> {
  const stdout = textCollector(MAX_OUTPUT_BYTES);
  const stderr = textCollector(MAX_OUTPUT_BYTES);
  const onOutput = (stream: OutputStream, chunk: Uint8Array): void => {
    if (stream === 'stdout') stdout.push(chunk);
    if (stream === 'stderr') stderr.push(chunk);
    options.onOutput?.(kernel, stream, chunk);
  };
  const begin = performance.now();
  const blank = {
    kernel,
    release: undefined,
    exitCode: undefined,
    counts: undefined,
    tests: [],
    files: new Map<string, Uint8Array>(),
    stdout: '',
    stderr: '',
    consoleTail: [],
    warnings: [],
    attempts: 1,
    firstTry: '',
    how: '',
  };
  if (options.signal?.aborted === true) {
    return { ...blank, outcome: 'interrupted', reason: 'interrupted before it began', seconds: 0 };
  }
  let image: KernelImage | 'host';
  let machine: Machine | undefined;
  try {
    image = await resolveKernel(kernel, options.refresh);
    if (image !== 'host') machine = await runWithRetry(image, options, onOutput);
  } catch (error) {
    if (!(error instanceof XdpError) || error.code === 'XDP_INVALID_ARGUMENT') throw error;
    const seconds = (performance.now() - begin) / 1000;
    return { ...blank, outcome: 'unavailable', reason: error.message, seconds };
  }
  const run =
    machine === undefined
      ? {
          ...blank,
          ...(await runOnHost({ ...options, onOutput })),
          release: await hostRelease(),
          how: 'no machine',
        }
      : { ...blank, ...machine };
  const tests = recordsFromFiles(run.files);
  const counts = tests === undefined ? countsFromOutput(stdout.text()) : countRecords(tests);
  return {
    ...run,
    ...doubt(run, tests),
    counts,
    tests: tests ?? [],
    stdout: stdout.text(),
    stderr: stderr.text(),
  };
}

/** A runner that exits 0 although its own report tells of failures is not believed. */
function doubt(run: Judgement, tests: readonly TestRecord[] | undefined): Judgement {
  const failed = countRecords(tests ?? []).failed;
  if (run.outcome !== 'passed' || failed === 0) return { outcome: run.outcome, reason: run.reason };
  return { outcome: 'failed', reason: `exit code 0, but the report tells of ${failed} failed` };
}

async function hostRelease(): Promise<string> {
  return (await import('node:os')).release();
}

type Machine = Pick<
  KernelRun,
  | 'outcome'
  | 'reason'
  | 'release'
  | 'exitCode'
  | 'files'
  | 'consoleTail'
  | 'warnings'
  | 'seconds'
  | 'attempts'
  | 'firstTry'
  | 'how'
>;

async function runWithRetry(
  image: KernelImage,
  options: Settings,
  onOutput: (stream: OutputStream, chunk: Uint8Array) => void,
): Promise<Machine> {
  const { accelerator } = await planAccelerator(image, options.accelerator);
  const env = { ...options.env, ...reportVariables(image.name, GUEST_REPORT_DIRECTORY) };
  const once = (): Promise<MachineResult> => runMachine({ ...options, image, env, accelerator, onOutput });
  const first = await once();
  const again = mayRetry(first.outcome) && options.signal?.aborted !== true;
  const result = again ? await once() : first;
  return {
    outcome: result.outcome,
    reason: result.reason,
    release: result.guest.release ?? image.release,
    exitCode: result.guest.exitCode,
    files: result.guest.files,
    consoleTail: result.consoleTail,
    warnings: result.warnings,
    seconds: result.seconds,
    attempts: again ? 2 : 1,
    firstTry: again ? first.reason : '',
    how: `${accelerator}, ${result.root} root`,
  };
}
