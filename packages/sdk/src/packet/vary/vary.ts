/** Varying the fields of a packet: the way to a million distinct packets. */
import { expectInteger, expectOptions, invalidArgument } from '../../errors.ts';
import { packetInvalid } from '../header.ts';
import type { FieldPath, PacketChanges } from '../packet.ts';
import type { PacketLike } from '../packet-batch.ts';
import { compile, type Located, locate } from './compile.ts';
import type { FieldSource } from './sources.ts';
import { VariedPackets } from './varied-packets.ts';

/** Which fields to vary, and where their values come from: `{ 'ipv4.src': range('10.0.0.0/12') }`. */
export type VaryFields = { readonly [P in FieldPath]?: FieldSource };

/** Options of {@link vary}. */
export interface VaryOptions {
  /** Throw if the fields that count have fewer combinations than there are packets. */
  readonly distinct?: boolean;
}

/** How many packets are compared with ones that were built afresh, before any is made. */
const CHECKED_PACKETS = 24;

/**
 * `count` packets like the template, with some of its fields varied and the checksums over them right if they are
 * right in the template. With several templates they come in turn, all with the same fields: for packets of several sizes.
 *
 * Fields that count (`range`, `sequence`, `list`) all move from packet to packet, and no combination of their values
 * comes twice before all have come.
 *
 * @throws XdpError `XDP_PACKET_INVALID` when a template has no such field, or a field whose value other parts of the
 * packet depend on.
 */
export function vary(
  template: PacketLike | readonly PacketLike[],
  fields: VaryFields,
  count: number,
  options?: VaryOptions,
): VariedPackets {
  const { distinct = false } = expectOptions<VaryOptions>('vary', options, ['distinct']);
  expectInteger('vary: count', count, 0, 2 ** 32 - 1);
  if (fields === null || typeof fields !== 'object' || Array.isArray(fields)) {
    throw invalidArgument('vary: fields must be an object of paths and sources');
  }
  const templates = Array.isArray(template) ? (template as readonly PacketLike[]) : [template as PacketLike];
  const located = locate(templates, Object.keys(fields));
  const varied = VariedPackets.fromRecipe(compile(located, Object.values(fields) as FieldSource[], count));
  if (distinct && varied.distinct < count) {
    throw invalidArgument(
      `vary: ${count} packets, but the fields that count have only ${varied.distinct} combinations: widen a range, or use range() with shuffle in place of random()`,
    );
  }
  checkAgainstBuilt(varied, located);
  return varied;
}

/**
 * A varied field may be one that says what the rest of the packet is, such as the type of an ICMP message. Then to write
 * it is not all there is to do. Packets from all over the run are built afresh and compared.
 */
function checkAgainstBuilt(varied: VariedPackets, located: readonly Located[]): void {
  const last = varied.length - 1;
  const indices = new Set<number>();
  for (let i = 0; i < Math.min(varied.length, CHECKED_PACKETS); i++) {
    indices
      .add(i)
      .add(Math.floor((last * i) / CHECKED_PACKETS))
      .add(last - i);
  }
  for (const index of indices) {
    const { packet, places } = located[index % located.length]!;
    const made = varied.at(index)!;
    const changes: Record<string, Record<string, unknown>> = {};
    for (const place of places) {
      const dot = place.path.lastIndexOf('.');
      const layer = place.path.slice(0, dot);
      changes[layer] ??= {};
      changes[layer][place.path.slice(dot + 1)] = place.read(made);
    }
    const built = packet.with(changes as PacketChanges).bytes;
    if (built.length !== made.length || built.some((byte, i) => byte !== made[i])) {
      throw packetInvalid(
        `vary: packet ${index} built afresh with its values is another one: other parts of it depend on ${places.map(({ path }) => path).join(' or ')}; build such packets one by one`,
      );
    }
  }
}
