/** The IPv6 routing header (RFC 8200, section 4.4), of any type but SRv6's, which is a layer of its own. */
import type { Codec } from '../codec.ts';
import { table, uint } from '../header.ts';
import { bytesType } from '../lists.ts';
import { protocolAuto } from '../protocols.ts';
import { extensionBytes, extensionLength, nextInIpv6 } from './ipv6-extensions.ts';
import { isSrh } from './srh.ts';

/** A routing header. */
export interface Routing {
  readonly kind: 'routing';
  /** Computed from the next layer unless given. */
  readonly nextHeader: number;
  /** In units of eight bytes, without the first eight; computed unless given. */
  readonly length: number;
  readonly routingType: number;
  readonly segmentsLeft: number;
  /** What the type makes of it: 4 bytes, or 4 and a multiple of 8. */
  readonly data: Uint8Array;
}

const form = table<Routing>(
  [uint('nextHeader', 8), uint('length', 8), uint('routingType', 8), uint('segmentsLeft', 8)],
  [{ name: 'data', type: bytesType }],
);

export const routingCodec: Codec = {
  kind: 'routing',
  title: 'IPv6 routing',
  tables: [form],
  tableOf: () => form,
  defaults: { data: new Uint8Array(4) },
  auto: { nextHeader: protocolAuto, length: extensionLength },
  lengths: ['length'],
  scan(scan) {
    const header = extensionBytes(scan, 'routing');
    if (header === 0) return undefined;
    if (isSrh(scan.bytes, scan.offset, header)) return scan.instead('srh');
    scan.accept(form, header);
    return nextInIpv6(scan, scan.bytes[scan.offset]!);
  },
};
