/** Arbitrary option lists, never longer than their header has room for. They shrink towards no option. */
import fc from 'fast-check';
import type { GeneveOption, Ipv4Option, Ipv6Option, NdOption, TcpOption } from '../packet/index.ts';
import { bits, ipv4Address, ipv6Address, macAddress } from './values.ts';

export function ipv4Options(): fc.Arbitrary<readonly Ipv4Option[]> {
  return some<Ipv4Option>(2, [
    fc.constant<Ipv4Option>({ type: 'nop' }),
    bits(16).map((value): Ipv4Option => ({ type: 'routerAlert', value })),
    fc
      .array(ipv4Address(), { minLength: 1, maxLength: 4 })
      .map((addresses): Ipv4Option => ({ type: 'recordRoute', pointer: 4, addresses })),
  ]);
}

export function tcpOptions(): fc.Arbitrary<readonly TcpOption[]> {
  const edge = bits(32);
  return some<TcpOption>(5, [
    bits(16).map((mss): TcpOption => ({ type: 'mss', mss })),
    fc.integer({ min: 0, max: 14 }).map((shift): TcpOption => ({ type: 'windowScale', shift })),
    fc.constant<TcpOption>({ type: 'sackPermitted' }),
    fc.record({ value: edge, echo: edge }).map((times): TcpOption => ({ type: 'timestamps', ...times })),
    // Two blocks: with all the others 37 of the 40 bytes there are.
    fc
      .array(fc.record({ left: edge, right: edge }), { minLength: 1, maxLength: 2 })
      .map((blocks): TcpOption => ({ type: 'sack', blocks })),
  ]);
}

/** One option that is more than padding; the header pads the rest itself. */
export function ipv6Options(): fc.Arbitrary<readonly Ipv6Option[]> {
  return fc.oneof(
    { withCrossShrink: true },
    fc.constant<readonly Ipv6Option[]>([{ type: 'padN', size: 6 }]),
    bits(16).map((value): readonly Ipv6Option[] => [
      { type: 'routerAlert', value },
      { type: 'padN', size: 2 },
    ]),
    // Code 0x1e: for experiments, to be skipped by those who do not know it (RFC 4727).
    fc
      .uint8Array({ minLength: 4, maxLength: 4 })
      .map((data): readonly Ipv6Option[] => [{ type: 'other', code: 0x1e, data }]),
  );
}

export function geneveOptions(): fc.Arbitrary<readonly GeneveOption[]> {
  const words = fc.array(fc.uint8Array({ minLength: 4, maxLength: 4 }), { maxLength: 4 });
  const option = fc
    .record({ class: bits(16), code: bits(7), data: words.map(joined) })
    .map((fields): GeneveOption => ({ type: 'option', ...fields }));
  return fc.array(option, { maxLength: 3 });
}

export function ndOptions(): fc.Arbitrary<readonly NdOption[]> {
  return some<NdOption>(3, [
    macAddress().map((mac): NdOption => ({ type: 'sourceMac', mac })),
    macAddress().map((mac): NdOption => ({ type: 'targetMac', mac })),
    bits(32).map((mtu): NdOption => ({ type: 'mtu', mtu })),
    fc
      .record({
        prefix: ipv6Address(),
        length: fc.integer({ min: 0, max: 128 }),
        flags: fc.constantFrom(0, 0x40, 0x80, 0xc0),
        validLifetime: bits(32),
        preferredLifetime: bits(32),
      })
      .map((fields): NdOption => ({ type: 'prefix', ...fields })),
  ]);
}

/** Up to `most` options, each type at most once. */
function some<T extends { readonly type: string }>(
  most: number,
  kinds: readonly fc.Arbitrary<T>[],
): fc.Arbitrary<readonly T[]> {
  return fc.uniqueArray(fc.oneof(...kinds), { maxLength: most, selector: ({ type }) => type });
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}
