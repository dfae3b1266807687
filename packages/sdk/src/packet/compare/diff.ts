/** Two packets compared layer by layer and field by field. */
import { expectOptions } from '../../errors.ts';
import type { Frame, Span } from '../codec.ts';
import { type DissectOptions, dissect } from '../dissect.ts';
import { frameOf, Packet } from '../packet.ts';
import { type PacketLike, packetBytes } from '../packet-batch.ts';
import { layerPath } from '../path.ts';
import { alignLayers } from './align.ts';
import type { Difference, FieldDifference } from './difference.ts';
import { commonLength, fieldAt, isRightChecksum } from './field-at.ts';
import { formatDiff } from './format-diff.ts';
import { ignoreRules } from './ignore.ts';

/** How packets are to be compared. */
export interface DiffOptions {
  /**
   * What may differ: fields (`'ipv4.id'`, `'udp[1].sport'`), fields of any layer (`'*.checksum'`), whole layers
   * (`'trailer'`). Without a number a path means all layers of its kind.
   */
  readonly ignore?: readonly string[] | undefined;
  /** How bytes are dissected, where packets are given as bytes. */
  readonly dissect?: DissectOptions | undefined;
}

/** What came out of a comparison. */
export interface PacketDiff {
  /** Whether nothing differs but what was ignored. */
  readonly equal: boolean;
  readonly differences: readonly Difference[];
  readonly expected: Packet;
  readonly actual: Packet;
  /** For people: both packets in a line each, the differences, and the bytes around them. */
  format(): string;
}

/**
 * Compares two packets, given as such or as bytes. A checksum that is right in both is no difference of its own: it
 * differs because of another field, which is listed or was ignored.
 */
export function diff(expected: PacketLike, actual: PacketLike, options?: DiffOptions): PacketDiff {
  const { ignore = [], dissect: how } = expectOptions('diff', options, ['ignore', 'dissect']);
  const left = redissected(expected, how, undefined);
  const right = redissected(actual, how, left);
  const isIgnored = ignoreRules(ignore);
  const differences = compareFrames(frameOf(left), frameOf(right)).filter(({ path }) => !isIgnored(path));
  return Object.freeze({
    equal: differences.length === 0,
    differences: Object.freeze(differences),
    expected: left,
    actual: right,
    format: () => formatDiff(frameOf(left), frameOf(right), differences),
  });
}

/**
 * Both sides are read from their bytes, so that equal bytes are equal packets, even of a packet that was built with a
 * wrong type of the next layer. Bytes begin with the same kind of layer as the packet that they are compared to.
 */
function redissected(packet: PacketLike, how: DissectOptions | undefined, other: Packet | undefined): Packet {
  const first = packet instanceof Packet ? packet.layers[0]?.kind : other?.layers[0]?.kind;
  return dissect(packetBytes(packet), { first, ...how });
}

function compareFrames(expected: Frame, actual: Frame): Difference[] {
  const left = layersWithBytes(expected);
  const right = layersWithBytes(actual);
  const pairs = alignLayers(left.length, right.length, (i, j) =>
    likeness(expected, expected.spans[left[i]!]!, actual, actual.spans[right[j]!]!),
  );
  let end = 0;
  return pairs.flatMap((pair): Difference[] => {
    const i = pair.expected === undefined ? undefined : left[pair.expected];
    const j = pair.actual === undefined ? undefined : right[pair.actual];
    if (j === undefined) {
      const { offset } = expected.spans[i!]!;
      const path = layerPath(expected, i!);
      return [Object.freeze({ kind: 'missing', path, offset: end, sizeBytes: 0, expectedOffset: offset })];
    }
    const { offset, header } = actual.spans[j]!;
    end = offset + header;
    if (i !== undefined) return compareLayers(expected, i, actual, j);
    const path = layerPath(actual, j);
    return [Object.freeze({ kind: 'extra', path, offset, sizeBytes: header, expectedOffset: undefined })];
  });
}

/** An empty payload leaves no byte, and is no layer to compare. */
function layersWithBytes(frame: Frame): number[] {
  return frame.spans.flatMap(({ header }, i) => (header > 0 ? [i] : []));
}

/** The share of the fixed fields of two layers that are equal; undefined for layers of different kinds. */
function likeness(expected: Frame, left: Span, actual: Frame, right: Span): number | undefined {
  if (left.codec !== right.codec) return undefined;
  const { fields } = left.table;
  if (left.table !== right.table || fields.length === 0) return 0;
  const equal = fields.filter(
    ({ read }) => read(expected.bytes, left.offset) === read(actual.bytes, right.offset),
  );
  return equal.length / fields.length;
}

function compareLayers(expected: Frame, i: number, actual: Frame, j: number): FieldDifference[] {
  const names = new Set([...expected.spans[i]!.table.names, ...actual.spans[j]!.table.names]);
  return [...names].flatMap((name) => {
    if (isRightChecksum(expected, i, name) && isRightChecksum(actual, j, name)) return [];
    const left = fieldAt(expected, i, name);
    const right = fieldAt(actual, j, name);
    const isPair = left?.tail !== undefined && right?.tail !== undefined;
    const common = isPair ? commonLength(left.tail, right.tail) : 0;
    if (isPair && common === left.tail.length && common === right.tail.length) return [];
    if (!isPair && left?.value === right?.value) return [];
    // Of plain bytes only those from the first difference on are shown.
    const skip = isPair && left.isBytes ? common : 0;
    return [
      Object.freeze({
        kind: 'field',
        path: `${layerPath(actual, j)}.${name}`,
        offset: (right?.offset ?? actual.spans[j]!.offset) + skip,
        sizeBytes: (right?.sizeBytes ?? 0) - skip,
        expectedOffset: left === undefined ? undefined : left.offset + skip,
        expected: left?.value,
        actual: right?.value,
        expectedText: left?.text(skip) ?? 'no such field',
        actualText: right?.text(skip) ?? 'no such field',
      } satisfies FieldDifference),
    ];
  });
}
