/** Runs a script that uses the built package in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { objectPath } from './objects.ts';

export interface ChildOptions {
  /** Flags of node. */
  readonly nodeArgs?: readonly string[];
  /** A command and its arguments that are put in front, as `setpriv ...`. */
  readonly wrap?: readonly string[];
  /** Another node. */
  readonly node?: string;
  readonly cwd?: string;
}

export interface ChildResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

const prelude = `
import { PacketBatch } from '${new URL('../../dist/packet/index.js', import.meta.url)}';
import * as xdptest from '${new URL('../../dist/index.js', import.meta.url)}';
import { native } from '${new URL('../../dist/native.js', import.meta.url)}';
const { XdpObject, runXdp, runMany, probeKernel, closeWorkers } = xdptest;
const packageUrl = '${new URL('../../dist/index.js', import.meta.url)}';
const objectPath = (name) => ${JSON.stringify(objectPath('NAME'))}.replace('NAME', name);
const load = (name, options) => XdpObject.load(objectPath(name), options);
`;

/** Starts the script, with the package's exports, \`load\` and \`objectPath\` at hand. It is killed at the test's end. */
export function startScript(script: string, options: ChildOptions = {}): ChildProcess {
  const [command, ...args] = [
    ...(options.wrap ?? []),
    options.node ?? process.execPath,
    ...(options.nodeArgs ?? []),
    '--input-type=module',
    '-e',
    prelude + script,
  ];
  const child = spawn(command!, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: options.cwd });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

export async function runScript(script: string, options?: ChildOptions): Promise<ChildResult> {
  return finished(startScript(script, options));
}

/** Waits for the end of a child and gives back what it wrote. */
export async function finished(child: ChildProcess): Promise<ChildResult> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, signal, stdout, stderr };
}

/** What a script printed as JSON; its standard error when it failed. */
export async function jsonOf<T>(script: string, options?: ChildOptions): Promise<T> {
  const { code, signal, stdout, stderr } = await runScript(script, options);
  if (code !== 0) throw new Error(`the script ended with ${signal ?? code}: ${stderr}`);
  return JSON.parse(stdout) as T;
}
