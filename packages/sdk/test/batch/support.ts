/** What the tests of the batch engine share: runs by both engines, and the comparison of their answers. */
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { type RunManyOptions, type RunResults, runMany, type XdpProgram } from 'xdptest';
import type { PacketLike } from 'xdptest/packet';
import { missing } from '../support/missing.ts';

export function bpfObject(name: string): string {
  return fileURLToPath(new URL(`../bpf/${name}.bpf.o`, import.meta.url));
}

/** Runs the packets by single calls and by the batch engine, and gives both. */
export async function byBothEngines(
  program: XdpProgram,
  packets: readonly PacketLike[],
  options: RunManyOptions = {},
): Promise<{ single: RunResults; batch: RunResults }> {
  const single = await runMany(program, packets, { workers: 1, ...options, engine: 'syscall' });
  const batch = await runMany(program, packets, { workers: 1, ...options, engine: 'batch' });
  expect(batch.plan.engine).toBe('batch');
  return { single, batch };
}

/** Without a context a single call does not tell what the program put in front of the packet, the batch driver does. */
const tellsMetadata = missing.context === undefined;

/** Fails at the first packet whose verdict, length, metadata or any byte differs, and says how. */
export function expectSameAnswers({ single, batch }: { single: RunResults; batch: RunResults }): void {
  expect(batch.length).toBe(single.length);
  for (let i = 0; i < single.length; i++) {
    const a = single.at(i)!;
    const b = batch.at(i)!;
    const same =
      a.verdict === b.verdict &&
      a.length === b.length &&
      (!tellsMetadata || Buffer.compare(a.metadata!, b.metadata!) === 0) &&
      Buffer.compare(a.packet!, b.packet!) === 0;
    if (same) continue;
    const row = (r: typeof a) => ({
      packet: i,
      verdict: r.verdict,
      length: r.length,
      metadata: Buffer.from(r.metadata!).toString('hex'),
      bytes: Buffer.from(r.packet!).toString('hex'),
    });
    expect(row(b)).toEqual(row(a));
  }
}
