/**
 * How long other tasks wait for a CPU on which a million packets run: a task that sleeps a millisecond at a time on the
 * same CPU says how late it woke up, with the packets running and with the CPU idle.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { binaries } from './c-loop.ts';
import type { Options } from './options.ts';

const CPU = '1';
const pinned = fileURLToPath(new URL('pinned.js', import.meta.url));

export async function benchWakeups(options: Options, note: (line: string) => void): Promise<void> {
  if (!options.matches('wakeups')) return;
  note(`Wakeups of another task on the same CPU, late by: idle ${await lateness(() => pause(2000))}`);
  for (const engine of ['batch', 'syscall']) {
    const late = await lateness(async () => {
      const child = spawn('taskset', ['-c', CPU, process.execPath, pinned, engine, String(options.packets)], {
        stdio: 'inherit',
      });
      const [code] = (await once(child, 'exit')) as [number];
      if (code !== 0) throw new Error(`the packets did not run (exit ${code})`);
    });
    note(`  while ${options.packets} packets run by the ${engine} engine: ${late}`);
  }
}

async function lateness(work: () => Promise<unknown>): Promise<string> {
  const child = spawn('taskset', ['-c', CPU, join(binaries, 'wakeups')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await work();
  child.stdin.end('.');
  const [max, p99, count] = (await text(child.stdout)).trim().split(' ');
  return `max ${max} us, p99 ${p99} us (${count} wakeups)`;
}
