/** Running commands for the scripts in this folder. Plain Node: nothing is installed yet when they start. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { patience } from './guest.mjs';

/** The top of the checkout. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** The path of a program, or undefined. Directories of the administrator are looked in for ordinary users too. */
export function findProgram(name) {
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return directories
    .filter((directory) => directory !== '')
    .map((directory) => join(directory, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Runs a command with its output shown; true when it ended well. */
export function run([program, ...args], { env = {}, cwd = root, minutes = 10 } = {}) {
  const { status, error } = spawnSync(program, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: minutes * patience * 60_000,
    killSignal: 'SIGTERM',
  });
  if (error !== undefined) console.error(`${program}: ${error.message}`);
  return status === 0;
}

/** What a command prints, trimmed; undefined when it cannot be run or fails. */
export function outputOf([program, ...args], env = {}) {
  const { status, stdout } = spawnSync(program, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    encoding: 'utf8',
    timeout: patience * 120_000,
  });
  return status === 0 ? stdout.trim() : undefined;
}

/** Ends the script with what is wrong and what to do. */
export function giveUp(message) {
  console.error(message);
  process.exit(1);
}
