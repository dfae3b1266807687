/** `xdptest vm`: a command on other kernels, each in a throw-away machine. */
import { writeFileSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { parseArgs } from 'node:util';
import { invalidArgument, XdpError } from '../errors.ts';
import {
  type AcceleratorChoice,
  exitCodeOf,
  formatJson,
  formatJunit,
  formatTable,
  type KernelRun,
  linePrefixer,
  listKernels,
  type OutputStream,
  type RootChoice,
  resolveKernel,
  runOnKernels,
} from '../vm/index.ts';

const usage = `usage: xdptest vm --kernel NAME[,NAME...] [options] -- COMMAND [ARGUMENT...]
       xdptest vm list [--offline] [--refresh]
       xdptest vm fetch NAME...

Runs COMMAND as root on each kernel, in a throw-away QEMU machine with this machine's files under it: same directory,
read-only below a memory overlay. Needs no root, no KVM, no network once the kernels are there.

  --kernel NAMES     host, debian:5.10 (or 5.10), debian:bullseye, debian:bookworm, debian:trixie, debian:sid,
                     ./directory, ./vmlinuz, ./linux-image.deb
  --modules NAMES    kernel modules to load first, e.g. veth,bonding
  --junit FILE       write one JUnit report over all kernels
  --json FILE        write one JSON report over all kernels
  --timeout SECONDS  for the command (600)
  --boot-timeout SECONDS  from power-on to the command (120)
  --smp N            processors of the machine (2)
  --memory MIB       its memory (2048)
  --jobs N           machines at once (1)
  --root KIND        auto, 9p, virtiofs, initramfs (auto)
  --files PATHS      more files for a machine without a shared root
  --accel KIND       auto, kvm, tcg (auto: kvm where a tried machine comes up)
  --append TEXT      more of the kernel's command line
  --refresh          the newest kernel of that name, even if an older one is cached
  --keep             a shell in the machine after the command (one kernel only)
  --console          show the kernel's console too

The command finds in its environment: XDPTEST_KERNEL, XDPTEST_REPORT_DIR (files there come back), XDPTEST_JSON and
XDPTEST_JUNIT (where a report of its tests is looked for).

Exit code: 0 when all passed; else that of the first kernel that did not: the command's, 124 for a time-out,
125 for a machine or kernel that broke or could not be had, 130 when interrupted.
`;

const options = {
  kernel: { type: 'string', short: 'k', multiple: true },
  modules: { type: 'string', multiple: true },
  junit: { type: 'string' },
  json: { type: 'string' },
  timeout: { type: 'string' },
  'boot-timeout': { type: 'string' },
  smp: { type: 'string' },
  memory: { type: 'string' },
  jobs: { type: 'string' },
  root: { type: 'string' },
  files: { type: 'string', multiple: true },
  accel: { type: 'string' },
  append: { type: 'string' },
  refresh: { type: 'boolean' },
  offline: { type: 'boolean' },
  keep: { type: 'boolean' },
  console: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

const USAGE_ERROR = 2;

/** The arguments after `vm`; gives the exit code. */
export async function vmCommand(argv: readonly string[]): Promise<number> {
  try {
    const dashes = argv.indexOf('--');
    const own = dashes < 0 ? argv : argv.slice(0, dashes);
    const command = dashes < 0 ? [] : argv.slice(dashes + 1);
    const { values, positionals } = parseArgs({ args: [...own], options, allowPositionals: true });
    if (values.help === true) {
      process.stdout.write(usage);
      return 0;
    }
    const [verb, ...names] = positionals;
    if (verb === 'list') return await list(values);
    if (verb === 'fetch') return await fetchKernels(names);
    if (verb !== undefined) throw invalidArgument(`there is no "vm ${verb}"; put the command after --`);
    return await run(values, command);
  } catch (error) {
    const isUsage =
      (error instanceof XdpError && error.code === 'XDP_INVALID_ARGUMENT') ||
      (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));
    if (!isUsage && !(error instanceof XdpError)) throw error;
    process.stderr.write(`xdptest vm: ${(error as Error).message}\n`);
    if (isUsage) process.stderr.write('try: xdptest vm --help\n');
    return isUsage ? USAGE_ERROR : 125;
  }
}

function listOf(values: readonly string[] | undefined): string[] {
  return (values ?? []).flatMap((value) => value.split(',')).filter((name) => name !== '');
}

function number(name: string, text: string | undefined, scale = 1): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d+(\.\d+)?$/.test(text))
    throw invalidArgument(`--${name} must be a number, got ${JSON.stringify(text)}`);
  return Math.round(Number(text) * scale);
}

function choice<T extends string>(
  name: string,
  text: string | undefined,
  known: readonly T[],
): T | undefined {
  if (text === undefined || known.includes(text as T)) return text as T | undefined;
  throw invalidArgument(`--${name} must be one of ${known.join(', ')}, got ${JSON.stringify(text)}`);
}

/** Leaves out what was not given: an option that is absent has its default. */
function given<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter((entry) => entry[1] !== undefined)) as never;
}

async function run(values: Values, command: readonly string[]): Promise<number> {
  const kernels = listOf(values.kernel);
  if (kernels.length === 0) throw invalidArgument('which kernel? --kernel 5.10,6.1,host');
  if (command.length === 0) throw invalidArgument('which command? put it after --');
  if (values.keep === true && kernels.length !== 1) throw invalidArgument('--keep needs exactly one kernel');
  const abort = new AbortController();
  let interrupted: NodeJS.Signals | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    // Fetching a kernel does not listen; the second time nobody wants to wait for it.
    if (interrupted !== undefined) process.exit(130);
    interrupted = signal;
    abort.abort();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, onSignal);
  const output = outputs(kernels, values.console === true);
  let runs: KernelRun[];
  try {
    runs = await runOnKernels({
      kernels,
      command,
      signal: abort.signal,
      onOutput: output.push,
      modules: listOf(values.modules),
      files: listOf(values.files),
      ...given({
        jobs: number('jobs', values.jobs),
        smp: number('smp', values.smp),
        memoryMiB: number('memory', values.memory),
        timeoutMs: number('timeout', values.timeout, 1000),
        bootTimeoutMs: number('boot-timeout', values['boot-timeout'], 1000),
        root: choice<RootChoice>('root', values.root, ['auto', '9p', 'virtiofs', 'initramfs']),
        accelerator: choice<AcceleratorChoice>('accel', values.accel, ['auto', 'kvm', 'tcg']),
        append: values.append,
        refresh: values.refresh,
        shell: values.keep === true ? connectTerminal : undefined,
      }),
    });
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
  }
  output.end();
  process.stdout.write(`\n${formatTable(runs)}`);
  if (values.junit !== undefined) writeFileSync(values.junit, formatJunit(runs));
  if (values.json !== undefined) writeFileSync(values.json, formatJson(runs));
  if (interrupted !== undefined)
    return { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }[interrupted as 'SIGINT'] ?? 130;
  const bad = runs.find((one) => one.outcome !== 'passed');
  return bad === undefined ? 0 : exitCodeOf(bad.outcome, bad.exitCode);
}

/** Each kernel's streams, line by line with its name in front. */
function outputs(
  kernels: readonly string[],
  showConsole: boolean,
): { push: (kernel: string, stream: OutputStream, chunk: Uint8Array) => void; end: () => void } {
  const width = Math.max(...kernels.map((kernel) => kernel.length));
  const prefixers = new Map<string, ReturnType<typeof linePrefixer>>();
  return {
    push(kernel, stream, chunk) {
      if (stream === 'console' && !showConsole) return;
      const key = `${kernel} ${stream}`;
      let prefixer = prefixers.get(key);
      if (prefixer === undefined) {
        const target = stream === 'stdout' ? process.stdout : process.stderr;
        const mark = stream === 'console' ? '#' : '|';
        prefixer = linePrefixer(`${kernel.padEnd(width)} ${mark} `, (bytes) => void target.write(bytes));
        prefixers.set(key, prefixer);
      }
      prefixer.push(chunk);
    },
    end() {
      for (const prefixer of prefixers.values()) prefixer.end();
    },
  };
}

/** The user's terminal becomes the guest's: every key goes there, Ctrl-C too; `exit` ends it. */
function connectTerminal(port: Duplex): void {
  process.stderr.write('xdptest vm: a shell in the machine; "exit" ends it\n');
  const { stdin } = process;
  if (stdin.isTTY) stdin.setRawMode(true);
  stdin.resume();
  stdin.pipe(port, { end: false });
  port.pipe(process.stdout, { end: false });
  port.once('close', () => {
    stdin.unpipe(port);
    if (stdin.isTTY) stdin.setRawMode(false);
    stdin.pause();
  });
}

async function list(values: Values): Promise<number> {
  const { cached, offered, complaints } = await listKernels(
    given({ offline: values.offline, refresh: values.refresh }),
  );
  const line = (kernel: { release: string; version: string; suites: readonly string[] }): string =>
    `  ${kernel.release.padEnd(28)} ${kernel.version.padEnd(22)} ${kernel.suites.join(', ')}\n`;
  process.stdout.write(cached.length === 0 ? 'no kernel is cached\n' : 'cached, ready to boot:\n');
  for (const kernel of cached) process.stdout.write(line(kernel));
  if (offered.length > 0) process.stdout.write('to be had from Debian (the newest of each series):\n');
  for (const kernel of offered) process.stdout.write(line(kernel));
  if (complaints !== '') process.stderr.write(`${complaints}\n`);
  return 0;
}

async function fetchKernels(names: readonly string[]): Promise<number> {
  if (names.length === 0) throw invalidArgument('which kernels? xdptest vm fetch 5.10 6.1');
  for (const name of names.flatMap((text) => text.split(','))) {
    const image = await resolveKernel(name, true);
    process.stdout.write(
      image === 'host' ? 'host needs no fetching\n' : `${name}: ${image.release}, ${image.vmlinuz}\n`,
    );
  }
  return 0;
}
