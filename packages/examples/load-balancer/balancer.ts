/** Loads the balancer and gives it backends: what a control plane does, in a few lines. */
import { fileURLToPath } from 'node:url';
import { type LoadOptions, XdpObject } from 'xdptest';
import { MAGLEV_SIZE, maglevTable } from './maglev.ts';

export const VIP = { v4: '192.0.2.1', v6: '2001:db8::1', port: 443 } as const;

const TCP = 6;
const UDP = 17;

/** Dual-stack backends: `10.1.x.y` and `fd00:1::x:y`. */
export interface Backend {
  readonly addr4: string;
  readonly addr6: string;
}

export function makeBackends(count: number): Backend[] {
  return Array.from({ length: count }, (_, i) => ({
    addr4: `10.1.${i >> 8}.${i & 255}`,
    addr6: `fd00:1::${(i + 1).toString(16)}`,
  }));
}

/** A loaded balancer, its VIP in service over TCP and UDP and both families. Close it, or declare it with `using`. */
export function loadBalancer(options?: LoadOptions): XdpObject {
  const lb = XdpObject.load(fileURLToPath(new URL('lb.bpf.o', import.meta.url)), options);
  for (const proto of [TCP, UDP]) {
    lb.map('vips4').set({ addr: VIP.v4, port: VIP.port, proto, pad: 0 }, { id: 0 });
    lb.map('vips6').set({ addr: VIP.v6, port: VIP.port, proto, pad: 0 }, { id: 0 });
  }
  return lb;
}

/**
 * Gives the VIP its backends; a backend keeps its index. `drained` ones stay known, but get no slot of the table.
 * @returns the table, for those who want to know the shares to expect
 */
export function setBackends(
  lb: XdpObject,
  backends: readonly Backend[],
  drained: readonly number[] = [],
): Uint32Array {
  lb.map('backends').setMany(backends.map((backend, i) => [i, { ...backend }]));
  const active = backends.map((_, i) => i).filter((i) => !drained.includes(i));
  const table = maglevTable(active.map((i) => backends[i]!.addr4)).map((slot) => active[slot]!);
  lb.map('maglev').setMany(Array.from({ length: MAGLEV_SIZE }, (_, slot) => [slot, table[slot]!]));
  return table;
}
