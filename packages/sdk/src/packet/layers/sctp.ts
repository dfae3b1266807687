/** The common header of SCTP (RFC 9260); its chunks are payload. */
import type { Codec } from '../codec.ts';
import { hex, table, uint } from '../header.ts';

/** An SCTP header. */
export interface Sctp {
  readonly kind: 'sctp';
  readonly sport: number;
  readonly dport: number;
  /** The verification tag. */
  readonly tag: number;
  /** CRC32c, as the four bytes read most significant first; computed unless given. */
  readonly checksum: number;
}

const form = table<Sctp>([uint('sport', 16), uint('dport', 16), hex('tag', 32), hex('checksum', 32)]);

export const sctpCodec: Codec = {
  kind: 'sctp',
  title: 'SCTP',
  tables: [form],
  tableOf: () => form,
  defaults: { sport: 1234, dport: 9 },
  auto: {},
  checksum: { field: 'checksum', algorithm: 'crc32c', covers: 'all' },
  scan(scan) {
    if (scan.available < 12) return scan.refuse(`${scan.available} bytes, but an SCTP header has 12`);
    return scan.accept(form, 12);
  },
};
