/** The IPv6 headers that hold options: hop-by-hop and destination (RFC 8200, sections 4.3 and 4.6). */
import type { Codec } from '../codec.ts';
import { table, uint } from '../header.ts';
import { protocolAuto } from '../protocols.ts';
import { extensionBytes, extensionLength, nextInIpv6 } from './ipv6-extensions.ts';
import { type Ipv6Option, ipv6OptionsType } from './ipv6-options.ts';

interface OptionsHeader<K extends string> {
  readonly kind: K;
  /** Computed from the next layer unless given. */
  readonly nextHeader: number;
  /** In units of eight bytes, without the first eight; computed unless given. */
  readonly length: number;
  /** Padded to a multiple of eight bytes unless they come to one. */
  readonly options: readonly Ipv6Option[];
}

/** A hop-by-hop options header. */
export type Hopopts = OptionsHeader<'hopopts'>;
/** A destination options header. */
export type Dstopts = OptionsHeader<'dstopts'>;

const form = table<Hopopts>(
  [uint('nextHeader', 8), uint('length', 8)],
  [{ name: 'options', type: ipv6OptionsType }],
);

function optionsCodec(kind: string, title: string, name: string): Codec {
  return {
    kind,
    title,
    tables: [form],
    tableOf: () => form,
    // Six bytes of padding: a header without options has eight bytes.
    defaults: { options: [{ type: 'padN', size: 6 }] },
    auto: { nextHeader: protocolAuto, length: extensionLength },
    lengths: ['length'],
    scan(scan) {
      const header = extensionBytes(scan, name);
      if (header === 0) return;
      scan.accept(form, header);
      nextInIpv6(scan, scan.bytes[scan.offset]!);
    },
  };
}

export const hopoptsCodec = optionsCodec('hopopts', 'IPv6 hop-by-hop options', 'hop-by-hop');
export const dstoptsCodec = optionsCodec('dstopts', 'IPv6 destination options', 'destination options');
