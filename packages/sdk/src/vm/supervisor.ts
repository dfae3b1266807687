/**
 * Runs a program so that it never outlives this process, nor leaves its temporary directory behind. A shell stands
 * between the two and holds the reading end of a pipe: when this process ends, however it ends (SIGKILL too), the
 * shell reads the end of the file, kills the program and removes the directory. The program in turn asks the kernel
 * to be killed should the shell die (PR_SET_PDEATHSIG, by setpriv).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex, Readable, Writable } from 'node:stream';
import { shellQuote } from './guest-init.ts';
import { findProgram } from './tools.ts';

// The trap, and no ignored signal: a handler is not handed on to the program.
// The first line on the input starts the program; a second one, or the end of the input, ends it.
const script = `
dir=$1
trap : PIPE
exec 9<&0 </dev/null
code=125
if read -r go <&9; then
  helpers= hold=
  . "$dir/launch"
  [ -z "$hold" ] || exec 8>&3
  exec 3>&- 4>&- 5>&- 6>&- 7>&- 1>/dev/null 2>/dev/null
  { read -r stop <&9; kill -s KILL -- $target; } 8>&- &
  watch=$!
  wait $main; code=$?
  if [ -n "$hold" ]; then echo $code >&8; read -r stop <&9; kill -s KILL -- $target; fi
  kill -s KILL $watch $helpers
fi
rm -rf -- "$dir"
exit $code
`;

export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  /** Helpers to start first; each is ready when the file that it makes is there. */
  readonly helpers?: readonly { program: string; args: readonly string[]; ready: string }[];
  /**
   * For a command of the user's: it gets a session of its own, which is killed as a whole, and none of the ports.
   * When it ends, its exit code comes on the first port, and the directory stays until {@link Supervised.stop}.
   */
  readonly session?: boolean;
  readonly cwd?: string;
}

export interface Supervised {
  /** The program's temporary directory: it is gone when the program is. */
  readonly directory: string;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Descriptors 3 to 7 of the program. */
  readonly ports: readonly Duplex[];
  /** Resolves with the exit code (128 + n after signal n) when program and directory are gone. */
  readonly ended: Promise<number>;
  start(launch: Launch): void;
  /** Kills the program. */
  stop(): void;
}

function launchScript(launch: Launch, directory: string): string {
  const setpriv = findProgram('setpriv');
  const guard = setpriv === undefined ? '' : `${shellQuote(setpriv)} --pdeathsig KILL `;
  const words = (program: string, args: readonly string[]): string =>
    [program, ...args].map(shellQuote).join(' ');
  const lines: string[] = [];
  for (const helper of launch.helpers ?? []) {
    lines.push(
      `${guard}${words(helper.program, helper.args)} >${shellQuote(join(directory, 'helper.log'))} 2>&1 &`,
    );
    lines.push('helpers="$helpers $!"', 'tries=0');
    lines.push(
      `while [ ! -e ${shellQuote(helper.ready)} ] && [ $tries -lt 100 ]; do sleep 0.05; tries=$((tries+1)); done`,
    );
  }
  if (launch.cwd !== undefined) lines.push(`cd ${shellQuote(launch.cwd)}`);
  const main = `${guard}${words(launch.program, launch.args)} 9<&-`;
  if (launch.session === true) {
    lines.push(`setsid ${main} 3>&- 4>&- 5>&- 6>&- 7>&- &`, 'main=$!', 'target="-$main"', 'hold=1');
  } else {
    lines.push(`${main} &`, 'main=$!', 'target=$main');
  }
  lines.push('cd /');
  return `${lines.join('\n')}\n`;
}

/** Starts the supervisor; the program follows with {@link Supervised.start}. */
export function supervise(env: NodeJS.ProcessEnv = process.env): Supervised {
  const directory = mkdtempSync(join(tmpdir(), 'xdptest-'));
  let child: ChildProcess;
  try {
    child = spawn('/bin/sh', ['-c', script, 'xdptest-supervisor', directory], {
      // A session of its own: Ctrl-C is for this process, which then ends the program in order.
      detached: true,
      stdio: new Array<'pipe'>(8).fill('pipe'),
      env,
    });
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
  const input = child.stdin as Writable;
  const ports = child.stdio.slice(3) as unknown as Duplex[];
  // The other ends vanish with the program: that is told by `ended`.
  for (const stream of [input, ...ports]) stream.on('error', () => {});
  const ended = new Promise<number>((resolve) => {
    child.on('error', () => resolve(127));
    child.on('close', (code, signal) => resolve(code ?? (signal === null ? 125 : 137)));
  }).finally(() => rmSync(directory, { recursive: true, force: true }));
  return {
    directory,
    stdout: child.stdout as Readable,
    stderr: child.stderr as Readable,
    ports,
    ended,
    start(launch) {
      const path = join(directory, 'launch');
      writeFileSync(path, launchScript(launch, directory));
      chmodSync(path, 0o600);
      input.write('go\n');
    },
    stop: () => void input.end(),
  };
}
