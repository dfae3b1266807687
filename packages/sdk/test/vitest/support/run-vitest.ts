/** Runs vitest on a project as a user does: a process of its own, its output as text. */
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { patience, vitestLimits } from '../../support/emulation.ts';

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');

/** The sample project beside these tests. */
export const sample = fileURLToPath(new URL('../sample', import.meta.url));

export interface VitestRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly root?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** A command to put in front of node's, such as setpriv. */
  readonly under?: readonly string[];
  /** Default a minute. */
  readonly timeoutMs?: number;
}

/** What this very run of vitest told its workers must not reach the one that is started. */
export function cleanEnvironment(env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(?:VITEST|NODE_ENV$|NODE_V8_COVERAGE$|TEST$|XDPTEST_J)/.test(name),
  );
  return { ...Object.fromEntries(own), NO_COLOR: '1', CI: '1', ...env };
}

/** The command line of vitest on a project. */
export function vitestCommand(
  args: readonly string[],
  { root = sample, under = [] }: RunOptions = {},
): string[] {
  return [...under, process.execPath, vitest, ...args, ...vitestLimits, '--root', root];
}

export function runVitest(args: readonly string[], options: RunOptions = {}): Promise<VitestRun> {
  const [command, ...rest] = vitestCommand(['run', ...args], options);
  return new Promise((resolve, reject) => {
    execFile(
      command!,
      rest,
      {
        encoding: 'utf8',
        maxBuffer: 64 << 20,
        timeout: options.timeoutMs ?? patience(60_000),
        env: cleanEnvironment(options.env),
      },
      (error, stdout, stderr) => {
        if (error !== null && typeof error.code !== 'number') reject(error);
        else resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      },
    );
  });
}

/** Output without what differs from run to run and from machine to machine. */
export function stable(output: string): string {
  return (
    output
      .replaceAll(/ \d+(?:\.\d+)?m?s\b/g, ' <time>')
      .replaceAll(/\(\d+\.\d+s\)/g, '(<time>)')
      .replaceAll(/\t\d+\.\d+s\b/g, '\t<time>')
      .replaceAll(/Start at {2}[\d:]+/g, 'Start at  <clock>')
      .replaceAll(/ kernel \S+ .*/g, ' kernel <release>: <abilities>')
      .replaceAll(/by CPU: .*/g, 'by CPU: <values>')
      .replaceAll(/(Duration .*?<time>).*/g, '$1')
      .replaceAll(/ RUN {2}v\S+ .*/g, ' RUN  <version> <root>')
      // Frames of our own code, which an installed package does not show.
      .replaceAll(/^ ❯ .*\/src\/vitest\/.*\n/gm, '')
      .replaceAll(/\S*\.xdptest\//g, '.xdptest/')
      .replaceAll(/[ \t]+$/gm, '')
  );
}
