/** Layers as they are given: checked, with the defaults filled in. */
import { describeValue } from '../errors.ts';
import type { Codec } from './codec.ts';
import { packetInvalid, type Values } from './header.ts';
import { findCodec, type LayerKind, type Layers, layerKinds } from './layers/index.ts';
import type { TcpFlag } from './layers/tcp.ts';

/** What a field may be given as, beside its own type. */
type Input<K, F, V> = [K, F] extends ['tcp', 'flags']
  ? V | readonly TcpFlag[]
  : [K, F] extends ['icmpv6', 'flags']
    ? V | readonly ('managed' | 'other')[]
    : V extends Uint8Array
      ? V | string
      : V;

/**
 * The fields of a layer, all optional. What is left out, or given as `'auto'`, is computed if it can be
 * (lengths, checksums, types of the next layer), and has a default otherwise.
 */
export type LayerFields<K extends LayerKind> = {
  readonly [F in Exclude<keyof Layers[K], 'kind'>]?:
    | Input<K, F, Exclude<Layers[K][F], undefined>>
    | 'auto'
    | undefined;
};

/** A layer as `packet()` takes it: a kind and some of its fields. Every complete layer is one too. */
export type LayerSpec<K extends LayerKind = LayerKind> = K extends LayerKind
  ? { readonly kind: K } & LayerFields<K>
  : never;

// Layers that came from `layerSpec` need no second check.
const checked = new WeakSet<object>();

/** The value of a field that is to be computed. */
export const AUTO = 'auto';

/** A checked and frozen layer with a value in every field, `'auto'` in those that are to be computed. */
export function layerSpec(codec: Codec, given: Values): Values {
  if (checked.has(given)) return given;
  for (const name of Object.keys(given)) if (name !== 'kind') expectField(codec, name);
  const table = codec.tableOf(given);
  const spec: Record<string, unknown> = { kind: codec.kind };
  for (const { name, type, width } of table.fields) {
    const value = given[name];
    const where = `${codec.kind}.${name}`;
    if (value !== undefined && value !== AUTO) spec[name] = type.check(value, where, width);
    else spec[name] = isComputed(codec, name) ? AUTO : (codec.defaults[name] ?? type.zero);
  }
  for (const { name, type } of table.tails) {
    const value = given[name];
    spec[name] = type.check(
      value === undefined || value === AUTO ? (codec.defaults[name] ?? type.zero) : value,
      `${codec.kind}.${name}`,
    );
  }
  for (const name of codec.notes ?? []) if (given[name] !== undefined) spec[name] = given[name];
  for (const name of Object.keys(given)) {
    if (
      name !== 'kind' &&
      given[name] !== undefined &&
      !table.names.has(name) &&
      !codec.notes?.includes(name)
    )
      throw packetInvalid(
        `${codec.kind}.${name} has no place in this form of the layer, whose fields are ${[...table.names].join(', ')}`,
      );
  }
  const frozen = Object.freeze(spec);
  checked.add(frozen);
  return frozen;
}

/** Whether a field is filled in when it is not given. */
export function isComputed(codec: Codec, field: string): boolean {
  return field in codec.auto || codec.checksum?.field === field;
}

/** The codec of a layer that somebody gave. */
export function codecOf(layer: unknown): Codec {
  const kind = layer !== null && typeof layer === 'object' ? (layer as { kind?: unknown }).kind : undefined;
  const codec = typeof kind === 'string' ? findCodec(kind) : undefined;
  if (codec !== undefined) return codec;
  throw packetInvalid(
    kind === undefined
      ? `a layer must be an object with a kind, got ${describeValue(layer)}`
      : `there is no kind of layer ${describeValue(kind)}; known are ${layerKinds.join(', ')}`,
  );
}

/** Throws if no form of the layer has the field. */
export function expectField(codec: Codec, name: string): void {
  const known = fieldNames(codec);
  if (!known.has(name))
    throw packetInvalid(
      `${codec.kind} has no field ${describeValue(name)}; its fields are ${[...known].join(', ')}`,
    );
}

const namesByCodec = new Map<Codec, ReadonlySet<string>>();

/** The names of the fields in all forms of a layer, in the order in which they stand. */
export function fieldNames(codec: Codec): ReadonlySet<string> {
  let names = namesByCodec.get(codec);
  if (names === undefined) {
    names = new Set([...codec.tables.flatMap((table) => [...table.names]), ...(codec.notes ?? [])]);
    namesByCodec.set(codec, names);
  }
  return names;
}
