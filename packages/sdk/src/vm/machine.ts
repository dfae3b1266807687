/** One throw-away machine: prepares it, runs it, watches its console, and says what became of it. */
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { invalidArgument } from '../errors.ts';
import { type ConsoleReader, consoleReader, type KernelTrouble } from './console.ts';
import { commandScript, environmentScript, firstInit, secondInit } from './guest-init.ts';
import { type GuestState, guestPort } from './guest-port.ts';
import { collectHostFiles } from './host-files.ts';
import type { KernelImage } from './image.ts';
import { writeInitramfs } from './initramfs.ts';
import { indexModules, modulesInOrder } from './modules.ts';
import { type Judgement, judgeMachine, type MachineFacts } from './outcome.ts';
import { type Accelerator, CHANNEL_NAME, qemuArguments } from './qemu.ts';
import { planRoot, type RootChoice, type RootPlan, transportModules } from './root.ts';
import { type Launch, type Supervised, supervise } from './supervisor.ts';
import { requireBusybox, requireTool } from './tools.ts';

export type OutputStream = 'stdout' | 'stderr' | 'console';

export interface MachineOptions {
  readonly image: KernelImage;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly modules: readonly string[];
  /** More files to take along where there is no shared root. */
  readonly files: readonly string[];
  /** Takes nothing of the host along but busybox: for trying whether a machine comes up at all. */
  readonly bare?: boolean;
  readonly smp: number;
  readonly memoryMiB: number;
  readonly bootTimeoutMs: number;
  readonly timeoutMs: number;
  readonly root: RootChoice;
  readonly accelerator: Accelerator;
  readonly append: string;
  /** Connects a terminal to a shell in the guest after the command. */
  readonly shell: ((port: Duplex) => void) | undefined;
  /** Receives the host's end of a two-way stream of bytes, of which the command has the other as descriptor 3. */
  readonly channel: ((port: Duplex) => void) | undefined;
  /** Called when the kernel reports trouble, with the line that says so. */
  readonly onTrouble: ((trouble: KernelTrouble, line: string) => void) | undefined;
  readonly onOutput: (stream: OutputStream, chunk: Uint8Array) => void;
  readonly signal: AbortSignal | undefined;
}

export interface MachineResult extends Judgement {
  readonly guest: Readonly<GuestState>;
  readonly root: RootPlan['kind'];
  readonly consoleTail: readonly string[];
  readonly warnings: readonly string[];
  readonly seconds: number;
}

/** How long a guest may take to power off, or a dying kernel to say why. */
const LAST_WORDS_MS = 3000;

/** How long a command may go on after its kernel reported a lockup. */
const AFTER_LOCKUP_MS = 60_000;

/** An unpacked initramfs is in memory twice for a moment. */
function memoryFor(options: MachineOptions, initramfsBytes: number): number {
  return Math.max(options.memoryMiB, 512 + Math.ceil((3 * initramfsBytes) / (1 << 20)));
}

async function prepare(options: MachineOptions, plan: RootPlan, directory: string): Promise<Launch> {
  const { image } = options;
  const index = indexModules(image.modules);
  // Without a list of modules, as kernels of one's own may be, everything has to be built in.
  const channelModules =
    options.channel === undefined || index.files.size === 0
      ? []
      : [...transportModules(index), 'virtio_console'];
  const modules = await modulesInOrder(
    index,
    [...plan.modules, ...channelModules, ...options.modules],
    image.release,
  );
  const files =
    options.bare === true || plan.kind !== 'initramfs'
      ? []
      : await collectHostFiles(options.command, options.cwd, options.env.PATH ?? '', options.files);
  const initramfs = join(directory, 'initramfs');
  writeInitramfs(initramfs, {
    first: firstInit({ root: plan.kind, modules: image.modules, release: image.release }),
    second: secondInit({
      keep: options.shell !== undefined,
      channel: options.channel === undefined ? undefined : CHANNEL_NAME,
    }),
    environment: environmentScript(options.cwd, options.env),
    command: commandScript(options.command),
    modules,
    files,
  });
  const bytes = files.reduce((sum, file) => sum + file.size, 0);
  const socket = join(directory, 'virtiofs');
  return {
    program: requireTool('qemu-system-x86_64'),
    args: qemuArguments({
      vmlinuz: image.vmlinuz,
      initramfs,
      root: plan.kind,
      virtiofsSocket: socket,
      accelerator: options.accelerator,
      smp: options.smp,
      memoryMiB: memoryFor(options, bytes),
      channel: options.channel !== undefined,
      append: options.append,
    }),
    helpers: plan.virtiofsd === undefined ? [] : [virtiofsHelper(plan.virtiofsd, socket, directory)],
  };
}

/**
 * virtiofsd in a mount namespace of its own, in which the host's root is bound read-only: not every virtiofsd can
 * refuse writes by itself, and root in the guest could remount what it was given.
 */
function virtiofsHelper(
  virtiofsd: string,
  socket: string,
  directory: string,
): { program: string; args: readonly string[]; ready: string } {
  const view = join(directory, 'view');
  const isRust = !virtiofsd.includes('/qemu/');
  const share = isRust
    ? `exec "$0" --socket-path="$1" --shared-dir="$2" --sandbox=chroot --cache=always`
    : `exec "$0" --socket-path="$1" -o source="$2" -o sandbox=chroot -o cache=always`;
  const steps = ['mkdir -p "$2"', 'mount --bind / "$2"', 'mount -o remount,bind,ro "$2"', share];
  return {
    program: requireTool('unshare'),
    args: ['--mount', '--propagation', 'private', 'sh', '-c', steps.join(' && '), virtiofsd, socket, view],
    ready: socket,
  };
}

/** Runs a machine to its end. Bad requests are thrown; everything that happens to the machine is in the result. */
export async function runMachine(options: MachineOptions): Promise<MachineResult> {
  requireBusybox();
  // The guest has its own of these.
  if (/^\/(dev|proc|run|sys)(\/|$)/.test(options.cwd)) {
    throw invalidArgument(
      `the working directory ${options.cwd} cannot be seen in a machine; it has its own there`,
    );
  }
  const plan = planRoot(options.image, indexModules(options.image.modules), options.root);
  const supervised = supervise();
  try {
    const launch = await prepare(options, plan, supervised.directory);
    return await watch(supervised, launch, plan, options);
  } finally {
    supervised.stop();
    await supervised.ended;
  }
}

async function watch(
  supervised: Supervised,
  launch: Launch,
  plan: RootPlan,
  options: MachineOptions,
): Promise<MachineResult> {
  const begin = performance.now();
  const [consolePort, stdoutPort, stderrPort, controlPort, channelPort] = supervised.ports;
  const reader: ConsoleReader = consoleReader((line) =>
    options.onOutput('console', Buffer.from(`${line}\n`)),
  );
  let words = '';
  let stopped: MachineFacts['stopped'];
  let timer: NodeJS.Timeout | undefined;
  let shellOpen = false;

  const stop = (why: MachineFacts['stopped']): void => {
    if (stopped === undefined && why === 'timeout') {
      // The console of a hang is silent: ask the guest, if it still answers, what it is at.
      controlPort?.write('dump\n');
      limit(why, LAST_WORDS_MS);
    } else supervised.stop();
    stopped ??= why;
  };
  const limit = (why: MachineFacts['stopped'], ms: number): void => {
    clearTimeout(timer);
    // setTimeout fires at once for more than 2^31 - 1 ms.
    timer = setTimeout(() => stop(why), Math.min(ms, 2 ** 31 - 1));
  };

  let phase = 'boot';
  const guest = guestPort(() => {
    const { state } = guest;
    const now =
      state.ended || state.failure !== undefined
        ? 'end'
        : state.shell
          ? 'shell'
          : state.started
            ? 'run'
            : 'boot';
    if (now === phase) return;
    phase = now;
    if (phase === 'run') limit('timeout', options.timeoutMs);
    // All is said, and what was written to the ports before stays readable.
    if (phase === 'end') supervised.stop();
    if (phase === 'shell') {
      clearTimeout(timer);
      shellOpen = true;
      if (stdoutPort !== undefined) options.shell?.(stdoutPort);
    }
  });

  consolePort?.on('data', (chunk: Buffer) => {
    const before = reader.worst()?.trouble;
    reader.push(chunk);
    const worst = reader.worst();
    const now = worst?.trouble;
    if (worst !== undefined && now !== before) options.onTrouble?.(worst.trouble, worst.line);
    // After a panic nothing follows but the reboot. After a lockup the command may still end, but no result of it
    // will count: there is no point in waiting for all of its time.
    if (now === 'panic' && before !== 'panic') limit(undefined, LAST_WORDS_MS);
    if (now === 'lockup' && before === undefined)
      limit('timeout', Math.min(options.timeoutMs, AFTER_LOCKUP_MS));
  });
  stdoutPort?.on('data', (chunk: Buffer) => {
    if (!shellOpen) options.onOutput('stdout', chunk);
  });
  stderrPort?.on('data', (chunk: Buffer) => options.onOutput('stderr', chunk));
  controlPort?.on('data', (chunk: Buffer) => guest.push(chunk));
  supervised.stderr.on('data', (chunk: Buffer) => {
    words = (words + chunk.toString()).slice(-4000);
  });
  supervised.stdout.resume();
  if (channelPort !== undefined) options.channel?.(channelPort);

  const onAbort = (): void => stop('signal');
  options.signal?.addEventListener('abort', onAbort, { once: true });
  if (options.signal?.aborted === true) onAbort();
  limit('boot timeout', options.bootTimeoutMs);
  supervised.start(launch);
  const code = await supervised.ended;
  clearTimeout(timer);
  options.signal?.removeEventListener('abort', onAbort);

  const judgement = judgeMachine({
    stopped,
    started: guest.state.started,
    exitCode: guest.state.exitCode,
    failure: guest.state.failure,
    trouble: reader.worst()?.trouble,
    firstLine: reader.reports()[0]?.line ?? '',
    bootTimeoutMs: options.bootTimeoutMs,
    timeoutMs: options.timeoutMs,
    qemu: { code, words: words.trim().split('\n').slice(-3).join(' ') },
  });
  return {
    ...judgement,
    guest: guest.state,
    root: plan.kind,
    consoleTail: reader.tail(),
    warnings: reader.warnings(),
    seconds: (performance.now() - begin) / 1000,
  };
}
