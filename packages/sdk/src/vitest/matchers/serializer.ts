/** How packets and results stand in snapshots, and when two packets are equal. */
import type { SnapshotSerializer } from 'vitest';
import { dissect, formatLine, formatTree, Packet } from '../../packet/index.ts';
import { RunResult } from '../../run/index.ts';

/** Packets as their trees, results as the verdict and the tree of what came out. */
export const packetSerializer: SnapshotSerializer = {
  test: (value: unknown) => value instanceof Packet || value instanceof RunResult,
  serialize(value: Packet | RunResult) {
    if (value instanceof Packet) return `${formatLine(value)}\n${formatTree(value)}`;
    const packet = dissect(value.packet);
    const metadata =
      value.metadata.length === 0 ? '' : `metadata ${Buffer.from(value.metadata).toString('hex')}\n`;
    return `${value.action}\n${metadata}${formatLine(packet)}\n${formatTree(packet)}`;
  },
};

/** A packet has private fields alone, which would make any two of them equal. */
export function equalPackets(a: unknown, b: unknown): boolean | undefined {
  if (!(a instanceof Packet) || !(b instanceof Packet)) return undefined;
  return Buffer.compare(a.bytes, b.bytes) === 0;
}
