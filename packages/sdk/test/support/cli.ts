/** Runs the command line as a user does: the executable, in a process of its own. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { patience } from './emulation.ts';

export const executable = fileURLToPath(new URL('../../bin/xdptest.js', import.meta.url));

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A user who may do nothing. Becoming one takes root. */
export const nobody = [
  'setpriv',
  '--reuid=nobody',
  '--clear-groups',
  '--inh-caps=-all',
  '--bounding-set=-all',
];

export function cli(args: readonly string[], wrap: readonly string[] = []): CliResult {
  const [command, ...rest] = [...wrap, process.execPath, executable, ...args];
  const { status, stdout, stderr, error } = spawnSync(command!, rest, {
    encoding: 'utf8',
    timeout: patience(60_000),
  });
  if (error !== undefined) throw error;
  return { code: status, stdout, stderr };
}

/** A directory that goes with the test. */
export function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), 'xdptest-cli-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}
