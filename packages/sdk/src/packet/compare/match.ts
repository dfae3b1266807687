/** A packet against what is wanted of some of its fields. */
import { inPrefix, isPrefix } from '../addresses.ts';
import type { Frame } from '../codec.ts';
import { type DissectOptions, dissect } from '../dissect.ts';
import { packetInvalid, type Values } from '../header.ts';
import { findCodec, type Layers } from '../layers/index.ts';
import { frameOf, type KindOfPath, type LayerPath } from '../packet.ts';
import type { PacketLike } from '../packet-batch.ts';
import { layerIndex, parsePath } from '../path.ts';
import { expectField, type LayerFields } from '../spec.ts';
import type { Difference } from './difference.ts';
import { commonLength, fieldAt } from './field-at.ts';

/** What is wanted of a layer's fields: a value, a prefix in which an address must lie, or a function that says yes or no. */
export type LayerMatch<K extends keyof Layers> = {
  readonly [F in keyof LayerFields<K>]?: F extends keyof Layers[K]
    ? Exclude<LayerFields<K>[F], 'auto' | undefined> | ((value: Exclude<Layers[K][F], undefined>) => boolean)
    : never;
};

/**
 * What is wanted of a packet's layers: `{ ipv4: { dst: '10.1.0.0/16', ttl: 63 }, udp: { dport: 443 }, gue: false }`.
 * `true` wants a layer to be there, `false` wants it not to be.
 */
export type LayersMatch = { readonly [P in LayerPath]?: LayerMatch<KindOfPath<P>> | boolean };

/**
 * The fields and layers of a packet that are not as wanted; none if all are.
 * @throws XdpError `XDP_PACKET_INVALID` when there is no such kind of layer or field, or a value that it cannot have.
 */
export function matchLayers(packet: PacketLike, wanted: LayersMatch, options?: DissectOptions): Difference[] {
  const frame = frameOf(dissect(packet, options));
  return Object.entries(wanted).flatMap(([path, match]) =>
    match === undefined ? [] : matchLayer(frame, path, match as Values | boolean),
  );
}

function matchLayer(frame: Frame, path: string, match: Values | boolean): Difference[] {
  const parsed = parsePath(path);
  const codec = findCodec(parsed.kind);
  if (codec === undefined || parsed.field !== undefined)
    throw packetInvalid(`${JSON.stringify(path)} is not a layer, such as ipv4 or ipv4[1]`);
  if (typeof match === 'object') for (const name of Object.keys(match)) expectField(codec, name);
  const index = layerIndex(frame, parsed);
  const span = frame.spans[index];
  if (span === undefined) {
    const end = frame.bytes.length;
    return match === false
      ? []
      : [{ kind: 'missing', path, offset: end, sizeBytes: 0, expectedOffset: undefined }];
  }
  if (match === false)
    return [{ kind: 'extra', path, offset: span.offset, sizeBytes: span.header, expectedOffset: undefined }];
  return match === true
    ? []
    : Object.entries(match).flatMap(([name, wanted]) => matchField(frame, index, path, name, wanted));
}

function matchField(frame: Frame, layer: number, path: string, name: string, wanted: unknown): Difference[] {
  if (wanted === undefined) return [];
  const field = fieldAt(frame, layer, name);
  const where = `${path}.${name}`;
  const test = testOf(frame, layer, name, where, wanted);
  if (field !== undefined && test.accepts(field.value, field.tail)) return [];
  return [
    {
      kind: 'field',
      path: where,
      offset: field?.offset ?? frame.spans[layer]!.offset,
      sizeBytes: field?.sizeBytes ?? 0,
      expectedOffset: undefined,
      expected: wanted,
      actual: field?.value,
      expectedText: test.text,
      actualText: field?.text() ?? 'no such field',
    },
  ];
}

interface FieldTest {
  readonly text: string;
  accepts(value: unknown, tail: Uint8Array | undefined): boolean;
}

function testOf(frame: Frame, layer: number, name: string, where: string, wanted: unknown): FieldTest {
  if (typeof wanted === 'function')
    return {
      text: wanted.name === '' || wanted.name === name ? 'another value' : wanted.name,
      accepts: (value) => (wanted as (value: unknown) => unknown)(value) === true,
    };
  const { codec, table } = frame.spans[layer]!;
  // A field that this form of the layer does not have is still checked as the field that it is in another.
  const forms = [table, ...codec.tables];
  const field = forms.flatMap(({ fields }) => fields).find((candidate) => candidate.name === name);
  if (field !== undefined) {
    const isAddress = field.type.name === 'ipv4' || field.type.name === 'ipv6';
    if (isAddress && typeof wanted === 'string' && isPrefix(wanted))
      return { text: wanted, accepts: (value) => inPrefix(value as string, wanted) };
    const value = field.type.check(wanted, where, field.width);
    return { text: field.type.format(value, field.width), accepts: (other) => other === value };
  }
  const tail = forms.flatMap(({ tails }) => tails).find((candidate) => candidate.name === name);
  if (tail === undefined) throw packetInvalid(`${where} cannot be matched`);
  const value = tail.type.check(wanted, where);
  const bytes = new Uint8Array(tail.type.sizeBytes(value));
  tail.type.write(bytes, 0, value);
  return {
    text: tail.type.format(value),
    accepts: (_value, other) =>
      other !== undefined && other.length === bytes.length && commonLength(other, bytes) === bytes.length,
  };
}
