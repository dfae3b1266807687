/** For tests that boot real kernels. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { machineObstacle } from '#dist/vm/kernels.js';
import { isGuest } from './emulation.ts';

/** Why machines with these kernels cannot be had here, or undefined if they can. The tests show it as their reason. */
export async function vmObstacle(kernels: readonly string[]): Promise<string | undefined> {
  return isGuest ? 'no machines inside of a machine' : machineObstacle(kernels);
}

/** A small program that runs the vm command with its own arguments, as the CLI does. */
const runner = `import { vmCommand } from ${JSON.stringify(join(import.meta.dirname, '../../dist/cli/vm.js'))};
process.exitCode = await vmCommand(process.argv.slice(1));`;

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly pid: number;
  readonly finished: Promise<Finished>;
  /** Resolves when the output holds the text. */
  says(text: string): Promise<void>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts `xdptest vm` in a process of its own. */
export function startVm(
  args: readonly string[],
  more: { env?: NodeJS.ProcessEnv; cwd?: string; input?: string } = {},
): Running {
  const child = spawn(process.execPath, ['--input-type=module', '-e', runner, '--', ...args], {
    env: { ...process.env, ...more.env },
    cwd: more.cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  if (more.input !== undefined) child.stdin.write(more.input);
  else child.stdin.end();
  const output = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      output[name] += chunk.toString();
      for (const look of waiting) look();
    });
  }
  const finished = once(child, 'close').then(
    ([code, signal]): Finished => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
      ...output,
    }),
  );
  return {
    pid: child.pid ?? -1,
    finished,
    says: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!(output.stdout + output.stderr).includes(text)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
        void finished.then((end) =>
          reject(new Error(`ended without saying ${text}: ${JSON.stringify(end)}`)),
        );
      }),
    kill: (signal) => void child.kill(signal),
  };
}

/** Processes whose command line or environment mentions the text; zombies are none. */
export function processesWith(text: string): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
      const isOurs = command.includes(text) || environment.includes(text);
      return isOurs && command !== '' ? [`${pid} ${command} ${readlinkSync(`/proc/${pid}/exe`)}`] : [];
    } catch {
      return [];
    }
  });
}

/** Waits until a condition holds, at most so long. */
export async function until(condition: () => boolean, ms: number): Promise<boolean> {
  const end = Date.now() + ms;
  while (!condition() && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 50));
  return condition();
}

export function isEmptyDirectory(path: string): boolean {
  return !existsSync(path) || readdirSync(path).length === 0;
}
