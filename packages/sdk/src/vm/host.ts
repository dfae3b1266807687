/** `host` as a kernel: the command runs right here, with the same environment and reports as in a guest. */
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { OutputStream } from './machine.ts';
import type { Judgement } from './outcome.ts';
import { reportVariables } from './report-environment.ts';
import { supervise } from './supervisor.ts';

export interface HostOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly onOutput: (stream: OutputStream, chunk: Uint8Array) => void;
  readonly signal: AbortSignal | undefined;
}

export interface HostResult extends Judgement {
  readonly exitCode: number | undefined;
  readonly files: ReadonlyMap<string, Buffer>;
  readonly seconds: number;
}

/** What the command left running may hold its output open for ever. */
const DRAIN_MS = 2000;

function readReports(directory: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const path = join(directory, name);
    if (statSync(path).isFile()) files.set(name, readFileSync(path));
  }
  return files;
}

/** Runs the command on the host's own kernel. */
export async function runOnHost(options: HostOptions): Promise<HostResult> {
  const begin = performance.now();
  const supervised = supervise(options.env);
  const reports = join(supervised.directory, 'report');
  let stopped: 'timeout' | 'signal' | undefined;
  const stop = (why: 'timeout' | 'signal') => (): void => {
    stopped ??= why;
    supervised.stop();
  };
  const onAbort = stop('signal');
  const timer = setTimeout(stop('timeout'), Math.min(options.timeoutMs, 2 ** 31 - 1));
  try {
    mkdirSync(reports);
    supervised.stdout.on('data', (chunk: Buffer) => options.onOutput('stdout', chunk));
    supervised.stderr.on('data', (chunk: Buffer) => options.onOutput('stderr', chunk));
    const drained = Promise.all([once(supervised.stdout, 'end'), once(supervised.stderr, 'end')]);
    let said = '';
    const [port] = supervised.ports;
    const exited = new Promise<void>((resolve) => {
      port?.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        if (said.includes('\n')) resolve();
      });
    });
    options.signal?.addEventListener('abort', onAbort, { once: true });
    if (options.signal?.aborted === true) onAbort();
    const variables = Object.entries(reportVariables('host', reports)).map(
      ([name, value]) => `${name}=${value}`,
    );
    supervised.start({
      program: '/usr/bin/env',
      args: ['--', ...variables, ...options.command],
      session: true,
      cwd: options.cwd,
    });
    await Promise.race([exited, supervised.ended]);
    await Promise.race([drained, delay(DRAIN_MS, undefined, { ref: false })]);
    const exitCode = stopped === undefined && said !== '' ? Number(said) : undefined;
    const files = stopped === undefined ? readReports(reports) : new Map<string, Buffer>();
    return {
      ...judge(stopped, exitCode, options.timeoutMs),
      exitCode,
      files,
      seconds: (performance.now() - begin) / 1000,
    };
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', onAbort);
    supervised.stop();
    await supervised.ended;
  }
}

function judge(
  stopped: 'timeout' | 'signal' | undefined,
  code: number | undefined,
  timeoutMs: number,
): Judgement {
  if (stopped === 'signal') return { outcome: 'interrupted', reason: 'interrupted' };
  if (stopped === 'timeout') return { outcome: 'timed out', reason: `no end within ${timeoutMs / 1000} s` };
  if (code === 0) return { outcome: 'passed', reason: '' };
  if (code === undefined) return { outcome: 'broken', reason: 'the command vanished without a status' };
  return { outcome: 'failed', reason: `exit code ${code}` };
}
