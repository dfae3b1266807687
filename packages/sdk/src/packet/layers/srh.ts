/** The segment routing header of SRv6 (RFC 8754). */
import { formatIpv6, parseIpv6 } from '../addresses.ts';
import type { Codec } from '../codec.ts';
import { hex, table, uint } from '../header.ts';
import { addressesType, bytesType } from '../lists.ts';
import { protocolAuto } from '../protocols.ts';
import { extensionBytes, extensionLength, nextInIpv6 } from './ipv6-extensions.ts';

/** A segment routing header. */
export interface Srh {
  readonly kind: 'srh';
  /** Computed from the next layer unless given. */
  readonly nextHeader: number;
  /** In units of eight bytes, without the first eight; computed unless given. */
  readonly length: number;
  readonly routingType: number;
  readonly segmentsLeft: number;
  /** The index of the last segment; computed unless given. */
  readonly lastEntry: number;
  readonly flags: number;
  readonly tag: number;
  /** As they stand in the header: the last segment of the path comes first. */
  readonly segments: readonly string[];
  readonly tlvs: Uint8Array;
}

const ROUTING_TYPE = 4;
const FIXED = 8;
const SEGMENT = 16;

const form = table<Srh>(
  [
    uint('nextHeader', 8),
    uint('length', 8),
    uint('routingType', 8),
    uint('segmentsLeft', 8),
    uint('lastEntry', 8),
    hex('flags', 8),
    hex('tag', 16),
  ],
  [
    {
      name: 'segments',
      type: addressesType(SEGMENT, parseIpv6, formatIpv6),
      lengthAt: (bytes, base) => (bytes[base + 4]! + 1) * SEGMENT,
    },
    { name: 'tlvs', type: bytesType },
  ],
);

export const srhCodec: Codec = {
  kind: 'srh',
  title: 'SRv6 segment routing',
  tables: [form],
  tableOf: () => form,
  defaults: { routingType: ROUTING_TYPE },
  auto: {
    nextHeader: protocolAuto,
    length: extensionLength,
    lastEntry: (_frame, _index, layer) => Math.max(0, (layer.segments as readonly string[]).length - 1),
  },
  lengths: ['length', 'lastEntry'],
  scan(scan) {
    const header = extensionBytes(scan, 'routing');
    if (header === 0) return undefined;
    if (!isSrh(scan.bytes, scan.offset, header)) return scan.refuse('segment list is longer than its header');
    scan.accept(form, header);
    return nextInIpv6(scan, scan.bytes[scan.offset]!);
  },
};

/** Whether a routing header is SRv6's and holds all of the segments that it announces. */
export function isSrh(bytes: Uint8Array, offset: number, header: number): boolean {
  return bytes[offset + 2] === ROUTING_TYPE && FIXED + (bytes[offset + 4]! + 1) * SEGMENT <= header;
}
