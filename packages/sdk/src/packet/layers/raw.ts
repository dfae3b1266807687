/** Bytes that are no header: a payload, what could not be dissected, and what lies beyond the end of a layer. */
import type { Codec } from '../codec.ts';
import { type Table, table } from '../header.ts';
import { bytesType } from '../lists.ts';

/** A payload, or bytes that could not be dissected. */
export interface Raw {
  readonly kind: 'raw';
  readonly bytes: Uint8Array;
  /** Why the bytes were not dissected; absent for plain payload. */
  readonly reason?: string;
}

/** Bytes beyond the end that a layer's length gives, such as the padding of a short Ethernet frame. */
export interface Trailer {
  readonly kind: 'trailer';
  readonly bytes: Uint8Array;
  /** The layers from this index on end before the trailer; those before it hold it. */
  readonly after: number;
}

const form: Table = table<Raw>([], [{ name: 'bytes', type: bytesType }]);

export const rawCodec: Codec = {
  kind: 'raw',
  title: 'Raw bytes',
  tables: [form],
  tableOf: () => form,
  defaults: {},
  auto: {},
  notes: ['reason'],
  read: (bytes, at, header): Raw => ({ kind: 'raw', bytes: bytes.subarray(at, at + header) }),
  scan: (scan) => scan.accept(form, scan.available),
};

export const trailerCodec: Codec = {
  kind: 'trailer',
  title: 'Trailer',
  tables: [form],
  tableOf: () => form,
  defaults: {},
  auto: {},
  notes: ['after'],
  scan: (scan) => scan.refuse('nothing leads to a trailer'),
};
