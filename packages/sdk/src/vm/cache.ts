/** The cache of this room: $XDG_CACHE_HOME/xdptest, or ~/.cache/xdptest. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { XdpError } from '../errors.ts';
import { requireTool } from './tools.ts';

/** A directory in the cache, made if it is not there. */
export function cacheDirectory(...names: string[]): string {
  const base = process.env.XDG_CACHE_HOME;
  // The XDG base directory specification: relative paths are invalid and to be ignored.
  const root = base !== undefined && isAbsolute(base) ? base : join(homedir(), '.cache');
  const path = join(root, 'xdptest', ...names);
  try {
    mkdirSync(path, { recursive: true });
  } catch (cause) {
    throw new XdpError(
      'XDP_KERNEL_UNAVAILABLE',
      `the cache ${path} cannot be written; set XDG_CACHE_HOME to a directory that can`,
      { cause },
    );
  }
  return path;
}

/**
 * Runs `work` while no other process does the same. flock(1) holds the lock for us, because Node has no flock(2);
 * it ends with its input, so a killed process never leaves a lock behind.
 */
export async function withCacheLock<T>(name: string, work: () => Promise<T>): Promise<T> {
  const file = join(cacheDirectory(), `${name}.lock`);
  const holder = spawn(requireTool('flock'), ['-x', file, 'sh', '-c', 'echo locked; exec cat >/dev/null'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  try {
    await Promise.race([
      once(holder.stdout, 'data'),
      once(holder, 'exit').then(() => {
        throw new XdpError('XDP_TOOL_FAILED', `flock could not lock ${file}`);
      }),
    ]);
    return await work();
  } finally {
    holder.stdin.end();
  }
}

/**
 * Runs `work` with a directory beside its result-to-be, so that finishing is one rename. Only under a lock: what an
 * interrupted run left there is removed first.
 */
export async function withWorkDirectory<T>(
  place: string,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  for (const name of readdirSync(place)) {
    if (name.startsWith('.new-')) rmSync(join(place, name), { recursive: true, force: true });
  }
  const directory = mkdtempSync(join(place, '.new-'));
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
