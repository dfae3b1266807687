/** The command line: which command it is, and how its errors end. Each command has a file of its own. */
import { readFileSync } from 'node:fs';
import { XdpError } from '../errors.ts';
import { EXIT } from './exit.ts';

type Command = readonly [summary: string, run: (argv: readonly string[]) => Promise<number>];

/** A command's file is loaded when it is called: a new command is one line here. */
const commands: Readonly<Record<string, Command>> = {
  doctor: [
    'what works here, and what to do about the rest',
    async (argv) => (await import('./doctor.ts')).doctorCommand(argv),
  ],
  run: [
    'packets through a program of an object file',
    async (argv) => (await import('./run.ts')).runCommand(argv),
  ],
  show: ['the packets of a capture file', async (argv) => (await import('./show.ts')).showCommand(argv)],
  diff: ['two capture files, field by field', async (argv) => (await import('./diff.ts')).diffCommand(argv)],
  gen: ['the types of a BPF program', async (argv) => (await import('./gen.ts')).genCommand(argv)],
  bench: [
    'what a run of the programs of an object costs',
    async (argv) => (await import('./bench.ts')).benchCommand(argv),
  ],
  benchstat: [
    'two files of benchmark results, compared',
    async (argv) => (await import('./benchstat.ts')).benchstatCommand(argv),
  ],
  vm: ['a command on other kernels, in QEMU', async (argv) => (await import('./vm.ts')).vmCommand(argv)],
};

function usage(): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length));
  const lines = Object.entries(commands).map(([name, [summary]]) => `  ${name.padEnd(width)}  ${summary}`);
  return `usage: xdptest COMMAND [ARGUMENT...]

${lines.join('\n')}

xdptest COMMAND --help says more; xdptest --version prints the version.
Exit code: 0 when all is well, 1 when it is not, 2 for a wrong command line. Errors go to stderr.
`;
}

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return (manifest as { version: string }).version;
}

/** `xdptest show FILE | head`: the reader has had enough, which is no error. */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(EXIT.ok);
}

/** Runs the command line `argv` (without node and the script); gives the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  process.stdout.on('error', endWithReader);
  const [name, ...rest] = argv;
  if (name === '--version' || name === '-V') {
    process.stdout.write(`${version()}\n`);
    return EXIT.ok;
  }
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const [help] = rest;
    if (name === 'help' && help !== undefined) return main([help, '--help']);
    (name === undefined ? process.stderr : process.stdout).write(usage());
    return name === undefined ? EXIT.usage : EXIT.ok;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    process.stderr.write(`xdptest: there is no command ${JSON.stringify(name)}\n\n${usage()}`);
    return EXIT.usage;
  }
  try {
    return await command[1](rest);
  } catch (error) {
    if (error instanceof XdpError) {
      const isUsage = error.code === 'XDP_INVALID_ARGUMENT';
      const end = isUsage ? `\ntry: xdptest ${name} --help` : ` [${error.code}]`;
      process.stderr.write(`xdptest ${name}: ${error.message}${end}\n`);
      return isUsage ? EXIT.usage : EXIT.failed;
    }
    if (isParseArgsError(error)) {
      process.stderr.write(`xdptest ${name}: ${error.message}\ntry: xdptest ${name} --help\n`);
      return EXIT.usage;
    }
    throw error;
  }
}

/** What util.parseArgs throws for an unknown option or a missing value. */
function isParseArgsError(error: unknown): error is Error {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}
