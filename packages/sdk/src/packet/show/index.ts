/** Packets for people: a line, a tree, a dump of the bytes. */
import { expectOptions } from '../../errors.ts';
import { type DissectOptions, dissect } from '../dissect.ts';
import { locateField } from '../fields.ts';
import { type FieldPath, frameOf } from '../packet.ts';
import type { PacketLike } from '../packet-batch.ts';
import { formatHexdump } from './hexdump.ts';
import { formatLine as lineOf } from './line.ts';
import { formatTree as treeOf } from './tree.ts';

/** A packet in one line: `10.0.0.1:1234 > 10.0.0.2:443 UDP 64 B`. Tunnels have a part for each header, with bars between. */
export function formatLine(packet: PacketLike, options?: DissectOptions): string {
  return lineOf(frameOf(dissect(packet, options)));
}

/** A packet as a tree: a line for each layer and each field. Wrong lengths and checksums are pointed out. */
export function formatTree(packet: PacketLike, options?: DissectOptions): string {
  return treeOf(frameOf(dissect(packet, options)));
}

/** What a hexdump shows. */
export interface HexdumpOptions {
  /** The fields to mark; without any the layers are. */
  readonly fields?: readonly FieldPath[] | undefined;
  readonly dissect?: DissectOptions | undefined;
}

/** The bytes of a packet in hex and text, with its layers named below them, or the given fields marked. */
export function hexdump(packet: PacketLike, options?: HexdumpOptions): string {
  const { fields = [], dissect: how } = expectOptions('hexdump', options, ['fields', 'dissect']);
  const dissected = dissect(packet, how);
  const marks = fields.map((path) => {
    const { offset, bitOffset, widthBits } = locateField(dissected, path);
    return { from: offset, to: Math.ceil((bitOffset + widthBits) / 8), label: path };
  });
  return formatHexdump(frameOf(dissected), marks);
}
