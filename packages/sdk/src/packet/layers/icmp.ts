/** ICMP for IPv4 (RFC 792). */
import type { Codec } from '../codec.ts';
import { type FieldSpec, hex, ip4, packetInvalid, type Table, table, uint, type Values } from '../header.ts';

/** Types of ICMP messages. */
export const icmpTypes = Object.freeze({
  echoReply: 0,
  destinationUnreachable: 3,
  redirect: 5,
  echoRequest: 8,
  timeExceeded: 11,
  parameterProblem: 12,
  timestampRequest: 13,
  timestampReply: 14,
});

/**
 * An ICMP message's header of eight bytes. Which fields stand in its last four depends on the type: `id` and `seq` in
 * echo and timestamp messages; in errors `mtu`, `gateway` or `pointer`; in all others `rest`. The packet that an
 * error quotes follows as layers of its own.
 */
export interface Icmp {
  readonly kind: 'icmp';
  readonly type: number;
  readonly code: number;
  /** Computed unless given. */
  readonly checksum: number;
  readonly id?: number;
  readonly seq?: number;
  /** The length of the quoted packet in words of four bytes, if extensions follow it (RFC 4884). */
  readonly length?: number;
  /** The MTU of the next hop (RFC 1191). */
  readonly mtu?: number;
  readonly gateway?: string;
  readonly pointer?: number;
  readonly unused?: number;
  readonly rest?: number;
}

const common: readonly FieldSpec<'type' | 'code' | 'checksum'>[] = [
  uint('type', 8),
  uint('code', 8),
  hex('checksum', 16),
];
const forms = {
  echo: table<Icmp>([...common, uint('id', 16), uint('seq', 16)]),
  unreachable: table<Icmp>([...common, uint('unused', 8), uint('length', 8), uint('mtu', 16)]),
  redirect: table<Icmp>([...common, ip4('gateway')]),
  exceeded: table<Icmp>([...common, uint('unused', 8), uint('length', 8), uint('rest', 16)]),
  problem: table<Icmp>([...common, uint('pointer', 8), uint('length', 8), uint('rest', 16)]),
  other: table<Icmp>([...common, hex('rest', 32)]),
};

const formByType = new Map<number, Table>([
  [0, forms.echo],
  [3, forms.unreachable],
  [5, forms.redirect],
  [8, forms.echo],
  [11, forms.exceeded],
  [12, forms.problem],
  [13, forms.echo],
  [14, forms.echo],
]);

const errors = new Set([3, 5, 11, 12]);
const HEADER = 8;

export const icmpCodec: Codec = {
  kind: 'icmp',
  title: 'ICMP',
  tables: Object.values(forms),
  tableOf: (layer: Values) =>
    typeof layer.type === 'number' || layer.type === undefined
      ? (formByType.get(layer.type ?? icmpTypes.echoRequest) ?? forms.other)
      : wrongType(),
  defaults: { type: icmpTypes.echoRequest },
  auto: {},
  checksum: { field: 'checksum', algorithm: 'internet', covers: 'all' },
  scan(scan) {
    const { bytes, offset, available } = scan;
    if (available < HEADER)
      return scan.refuse(`${available} bytes, but an ICMP message has at least ${HEADER}`);
    const type = bytes[offset]!;
    scan.accept(formByType.get(type) ?? forms.other, HEADER);
    if (!errors.has(type)) return undefined;
    scan.quote();
    return scan.next('ipv4', 'quoted packet', 0);
  },
};

function wrongType(): never {
  throw packetInvalid('icmp.type must be a number; see icmpTypes');
}
