/** ICMPv6 (RFC 4443) and neighbour discovery (RFC 4861). */
import type { Codec } from '../codec.ts';
import {
  bitsType,
  type FieldSpec,
  flag,
  hex,
  ip6,
  packetInvalid,
  type Table,
  type Tail,
  table,
  uint,
  type Values,
} from '../header.ts';
import { type NdOption, ndOptionsType } from './icmpv6-options.ts';

/** Types of ICMPv6 messages. */
export const icmpv6Types = Object.freeze({
  destinationUnreachable: 1,
  packetTooBig: 2,
  timeExceeded: 3,
  parameterProblem: 4,
  echoRequest: 128,
  echoReply: 129,
  routerSolicitation: 133,
  routerAdvertisement: 134,
  neighborSolicitation: 135,
  neighborAdvertisement: 136,
  redirect: 137,
});

/**
 * An ICMPv6 message. Which fields follow the checksum depends on the type, as in {@link Icmp}; neighbour discovery
 * messages have options. The packet that an error quotes follows as layers of its own.
 */
export interface Icmpv6 {
  readonly kind: 'icmpv6';
  readonly type: number;
  readonly code: number;
  /** Computed unless given, with the pseudo header of IPv6. */
  readonly checksum: number;
  readonly id?: number;
  readonly seq?: number;
  /** The length of the quoted packet in words of eight bytes, if extensions follow it (RFC 4884). */
  readonly length?: number;
  readonly mtu?: number;
  readonly pointer?: number;
  readonly hopLimit?: number;
  /** Router advertisement: M (managed) is 0x80, O (other) 0x40. */
  readonly flags?: number;
  readonly routerLifetime?: number;
  readonly reachableTime?: number;
  readonly retransTimer?: number;
  /** Neighbour advertisement: the sender is a router. */
  readonly router?: boolean;
  readonly solicited?: boolean;
  readonly override?: boolean;
  readonly target?: string;
  readonly destination?: string;
  readonly options?: readonly NdOption[];
  readonly reserved?: number;
  readonly rest?: number;
}

const common: readonly FieldSpec<'type' | 'code' | 'checksum'>[] = [
  uint('type', 8),
  uint('code', 8),
  hex('checksum', 16),
];
const options: readonly Tail[] = [{ name: 'options', type: ndOptionsType }];
const routerFlags = bitsType({ managed: 0x80, other: 0x40 });

const forms = {
  echo: table<Icmpv6>([...common, uint('id', 16), uint('seq', 16)]),
  quoting: table<Icmpv6>([...common, uint('length', 8), uint('reserved', 24)]),
  tooBig: table<Icmpv6>([...common, uint('mtu', 32)]),
  problem: table<Icmpv6>([...common, uint('pointer', 32)]),
  routerSolicitation: table<Icmpv6>([...common, uint('reserved', 32)], options),
  routerAdvertisement: table<Icmpv6>(
    [
      ...common,
      uint('hopLimit', 8),
      { name: 'flags', width: 8, type: routerFlags },
      uint('routerLifetime', 16),
      uint('reachableTime', 32),
      uint('retransTimer', 32),
    ],
    options,
  ),
  solicitation: table<Icmpv6>([...common, uint('reserved', 32), ip6('target')], options),
  advertisement: table<Icmpv6>(
    [...common, flag('router'), flag('solicited'), flag('override'), uint('reserved', 29), ip6('target')],
    options,
  ),
  redirect: table<Icmpv6>([...common, uint('reserved', 32), ip6('target'), ip6('destination')], options),
  other: table<Icmpv6>([...common, hex('rest', 32)]),
};

const formByType = new Map<number, Table>([
  [1, forms.quoting],
  [2, forms.tooBig],
  [3, forms.quoting],
  [4, forms.problem],
  [128, forms.echo],
  [129, forms.echo],
  [133, forms.routerSolicitation],
  [134, forms.routerAdvertisement],
  [135, forms.solicitation],
  [136, forms.advertisement],
  [137, forms.redirect],
]);

const LAST_ERROR = 4;
const HEADER = 8;

export const icmpv6Codec: Codec = {
  kind: 'icmpv6',
  title: 'ICMPv6',
  tables: Object.values(forms),
  tableOf(layer: Values) {
    const type = layer.type ?? icmpv6Types.echoRequest;
    if (typeof type !== 'number') throw packetInvalid('icmpv6.type must be a number; see icmpv6Types');
    // A neighbour discovery message that is too short for its form is dissected to this one, and built from it again.
    return layer.rest !== undefined ? forms.other : (formByType.get(type) ?? forms.other);
  },
  defaults: { type: icmpv6Types.echoRequest },
  auto: {},
  checksum: { field: 'checksum', algorithm: 'internet', covers: 'all', pseudoProtocol: 58 },
  scan(scan) {
    const { bytes, offset, available } = scan;
    if (available < HEADER)
      return scan.refuse(`${available} bytes, but an ICMPv6 message has at least ${HEADER}`);
    const type = bytes[offset]!;
    const form = formByType.get(type);
    if (form === undefined || available < form.length) return scan.accept(forms.other, HEADER);
    // The options of neighbour discovery reach to the end.
    scan.accept(form, form.tails.length > 0 ? available : HEADER);
    if (type > LAST_ERROR) return undefined;
    scan.quote();
    return scan.next('ipv6', 'quoted packet', 0);
  },
};
