/** The first eight bytes of a TCP header: all that an ICMP error has to quote (RFC 792). */
import type { Codec } from '../codec.ts';
import { table, uint } from '../header.ts';

/** A TCP header that is cut short in the quote of an ICMP error. */
export interface TcpStub {
  readonly kind: 'tcpStub';
  readonly sport: number;
  readonly dport: number;
  readonly seq: number;
}

const form = table<TcpStub>([uint('sport', 16), uint('dport', 16), uint('seq', 32)]);

export const tcpStubCodec: Codec = {
  kind: 'tcpStub',
  title: 'TCP, first 8 bytes',
  tables: [form],
  tableOf: () => form,
  defaults: { sport: 1234, dport: 80 },
  auto: {},
  scan(scan) {
    if (scan.available < 8)
      return scan.refuse(`${scan.available} bytes, but the start of a TCP header has 8`);
    return scan.accept(form, 8);
  },
};
