/**
 * Proof that a namespace is gone: one end of a veth pair in it, the other one in a namespace that watches. The kernel
 * removes a pair with either of its namespaces, and a namespace lives as long as anything holds it: a descriptor, a
 * socket, a thread.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { NetworkNamespace } from 'xdptest/live';

export function alive(watch: NetworkNamespace): number {
  return watch.interfaces().filter((one) => one.name.startsWith('canary')).length;
}

/** The kernel destroys namespaces in the background. Gives the number of those that are left. */
export async function remaining(watch: NetworkNamespace, timeoutMs: number): Promise<number> {
  const deadline = performance.now() + timeoutMs;
  while (alive(watch) > 0 && performance.now() < deadline) await sleep(20);
  return alive(watch);
}
