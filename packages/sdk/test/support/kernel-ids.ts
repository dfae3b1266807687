/** What a process holds in the kernel, and what the kernel still has of it: the evidence that nothing is left behind. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const tool = fileURLToPath(new URL('../bpf/bpf-alive', import.meta.url));

/** `prog:7`, `map:9` and `link:3` for each BPF descriptor of a process, as /proc/PID/fdinfo names them. */
export function heldBy(pid: number): string[] {
  const ids = new Set<string>();
  for (const fd of readdirSync(`/proc/${pid}/fdinfo`)) {
    let text: string;
    try {
      text = readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8');
    } catch {
      continue; // closed in between
    }
    for (const [, kind, id] of text.matchAll(/^(prog|map|link)_id:\s*(\d+)$/gm)) ids.add(`${kind}:${id}`);
  }
  return [...ids];
}

/** Those that still exist. The ids of one process are looked at only: others may work on this machine, too. */
export function aliveOf(ids: readonly string[]): string[] {
  return execFileSync(tool, ids, { encoding: 'utf8' }).split('\n').filter(Boolean);
}

/** Those that still exist when the kernel had time to clean up, which it does behind RCU and work queues. */
export async function leftOf(ids: readonly string[]): Promise<string[]> {
  let left = aliveOf(ids);
  for (let tries = 0; left.length > 0 && tries < 100; tries++) {
    await sleep(50);
    left = aliveOf(ids);
  }
  return left;
}
