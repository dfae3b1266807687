/** A packet as a value: layers and bytes, each made from the other when they are first asked for. */
import { assemble } from './assemble.ts';
import type { Codec, Frame } from './codec.ts';
import { packetInvalid, type Values } from './header.ts';
import type { Layer, LayerKind, Layers } from './layers/index.ts';
import { layerIndex, parsePath } from './path.ts';
import { inferSpecs, readLayer } from './read-layer.ts';
import { formatLine } from './show/line.ts';
import { formatTree } from './show/tree.ts';
import { codecOf, expectField, type LayerFields, type LayerSpec, layerSpec } from './spec.ts';
import { appendLayers, checkTrailers, sliceLayers } from './trailers.ts';

/** The name of a layer in a packet: its kind, with a number to tell the second of its kind from the first. */
export type LayerPath = LayerKind | `${LayerKind}[${number}]`;

/** The path of a field: `ipv4.dst`, or `ipv4[1].dst` for that of the second IPv4 header. */
export type FieldPath = {
  [K in LayerKind]: `${K | `${K}[${number}]`}.${Extract<Exclude<keyof Layers[K], 'kind'>, string>}`;
}[LayerKind];

/** The kind of layer that a path names. */
export type KindOfPath<P extends string> = P extends `${infer K extends LayerKind}[${number}]`
  ? K
  : P extends LayerKind
    ? P
    : never;

/** What a field can be set to. */
export type FieldInput<P extends string> = P extends `${infer L}.${infer F}`
  ? F extends keyof LayerFields<KindOfPath<L>>
    ? LayerFields<KindOfPath<L>>[F]
    : never
  : never;

/** Changes of some layers of a packet. */
export type PacketChanges = { readonly [P in LayerPath]?: LayerFields<KindOfPath<P>> };

/** What `packet()` takes: layers, and packets whose layers are put in their place. */
export type PacketPart = LayerSpec | Packet;

/** The complete layers that `packet()` makes of its parts. */
export type LayersOf<P extends readonly PacketPart[]> = P extends readonly []
  ? readonly []
  : P extends readonly [infer First, ...infer Rest extends readonly PacketPart[]]
    ? First extends Packet<infer L>
      ? readonly [...L, ...LayersOf<Rest>]
      : First extends { readonly kind: infer K extends LayerKind }
        ? readonly [Layers[K], ...LayersOf<Rest>]
        : readonly Layer[]
    : readonly Layer[];

type Source = { readonly specs: readonly Values[] } | { readonly frame: Frame };

let frameOfPacket: (packet: Packet) => Frame;
let create: (source: Source) => Packet;

/**
 * A packet. It is frozen: `with()` gives a changed one. `bytes` must not be written to.
 *
 * Made by `packet()` from layers or by `dissect()` from bytes.
 */
export class Packet<L extends readonly Layer[] = readonly Layer[]> {
  #specs: readonly Values[] | undefined;
  #frame: Frame | undefined;
  #layers: readonly Layer[] | undefined;

  static {
    frameOfPacket = (packet) => packet.#frameOf();
    create = (source) => new Packet(source);
    // What `console.log` of Node and the failures of vitest print; without it a class of private fields looks empty.
    Object.defineProperty(Packet.prototype, Symbol.for('nodejs.util.inspect.custom'), {
      value(this: Packet) {
        return formatTree(this.#frameOf());
      },
    });
  }

  private constructor(source: Source) {
    if ('specs' in source) this.#specs = source.specs;
    else this.#frame = source.frame;
    Object.freeze(this);
  }

  /** The bytes, with all lengths and checksums in place. Treat them as frozen. */
  get bytes(): Uint8Array {
    return this.#frameOf().bytes;
  }

  /** The size in bytes. */
  get length(): number {
    return this.bytes.length;
  }

  /** The layers with all of their fields, those that were computed among them. */
  get layers(): L {
    this.#layers ??= Object.freeze(readLayers(this.#frameOf()));
    return this.#layers as L;
  }

  /**
   * The layers as they were given: `'auto'` in the fields that were computed. Use these, not `layers`, as parts of
   * another packet: it will have lengths and checksums of its own.
   */
  get parts(): readonly LayerSpec[] {
    this.#specs ??= Object.freeze(
      inferSpecs(this.#frameOf(), this.layers).map((spec) => layerSpec(codecOf(spec), spec)),
    );
    return this.#specs as unknown as readonly LayerSpec[];
  }

  /** The first layer of a kind, or with a number (`'ipv4[1]'`) another of it; undefined if there is none. */
  get<P extends LayerPath>(path: P): Layers[KindOfPath<P>] | undefined {
    const index = layerIndex(this.#frameOf(), parsePath(path));
    return this.layers[index] as Layers[KindOfPath<P>] | undefined;
  }

  /**
   * A packet with some fields changed: `p.with('ipv4.ttl', 63)` or `p.with({ ipv4: { ttl: 63 }, udp: { dport: 53 } })`.
   * Lengths, checksums and types of the next layer are computed anew, but for those that were given on purpose
   * (or, in a dissected packet, were wrong); `'auto'` makes such a one computed again.
   * @throws XdpError `XDP_PACKET_INVALID` when there is no such layer or field, or the value does not fit.
   */
  with<P extends FieldPath>(path: P, value: FieldInput<P>): Packet<L>;
  with(changes: PacketChanges): Packet<L>;
  with(changes: string | PacketChanges, value?: unknown): Packet<L> {
    const specs = [...specsOf(this)];
    for (const [path, fields] of Object.entries(asChanges(changes, value))) {
      const parsed = parsePath(path);
      const index = layerIndex(this.#frameOf(), parsed);
      const spec = specs[index];
      if (spec === undefined || parsed.field !== undefined)
        throw packetInvalid(`with: this packet has no layer ${path}; it is ${kinds(this.#frameOf())}`);
      const codec = codecOf(spec);
      for (const name of Object.keys(fields)) expectField(codec, name);
      specs[index] = layerSpec(codec, changed(codec, spec, fields));
    }
    return create({ specs: Object.freeze(specs) }) as Packet<L>;
  }

  /**
   * The packet that begins with a layer and, if `end` is given, ends before another: a tunnel's inner packet is
   * `p.slice('ipv4[1]')`. Fields that were computed are computed anew.
   */
  slice(start: LayerPath | number, end?: LayerPath | number): Packet {
    const at = (place: LayerPath | number) => {
      if (typeof place === 'number') return place;
      const index = layerIndex(this.#frameOf(), parsePath(place));
      if (index < 0)
        throw packetInvalid(`slice: this packet has no layer ${place}; it is ${kinds(this.#frameOf())}`);
      return index;
    };
    const specs = sliceLayers(specsOf(this), at(start), end === undefined ? undefined : at(end));
    return packet(...(specs as unknown as LayerSpec[]));
  }

  /** One line for people: `10.0.0.1:1234 > 10.0.0.2:443 UDP 64 B`. */
  toString(): string {
    return formatLine(this.#frameOf());
  }

  /** The layers, for `JSON.stringify`. */
  toJSON(): readonly Layer[] {
    return this.layers;
  }

  #frameOf(): Frame {
    this.#frame ??= assemble(this.#specs!);
    return this.#frame;
  }
}

function specsOf(packet: Packet): readonly Values[] {
  return packet.parts as readonly unknown[] as readonly Values[];
}

/** The fields of a changed layer. Another type of message may have other fields: those of the old one are dropped. */
function changed(codec: Codec, spec: Values, fields: Values): Values {
  const merged = { ...spec, ...fields };
  const { names } = codec.tableOf(merged);
  const stale = Object.keys(spec).some((name) => !(isKept(codec, name) || names.has(name) || name in fields));
  if (!stale) return merged;
  return Object.fromEntries(
    Object.entries(merged).filter(([name]) => isKept(codec, name) || names.has(name) || name in fields),
  );
}

function isKept(codec: Codec, name: string): boolean {
  return name === 'kind' || codec.notes?.includes(name) === true;
}

function asChanges(changes: string | PacketChanges, value: unknown): Readonly<Record<string, Values>> {
  if (typeof changes !== 'string') return changes as Readonly<Record<string, Values>>;
  const dot = changes.lastIndexOf('.');
  if (dot < 0)
    throw packetInvalid(`with: ${JSON.stringify(changes)} is not the path of a field, such as ipv4.ttl`);
  return { [changes.slice(0, dot)]: { [changes.slice(dot + 1)]: value } };
}

function kinds(frame: Frame): string {
  return frame.spans.map((span) => span.codec.kind).join(' / ') || 'empty';
}

function readLayers(frame: Frame): Layer[] {
  const layers: Layer[] = new Array(frame.spans.length);
  for (let i = 0; i < layers.length; i++) layers[i] = readLayer(frame.bytes, frame.spans[i]!);
  return layers;
}

/**
 * Builds a packet from its layers, outermost first: `packet(eth(), ipv4({ dst: '192.0.2.1' }), udp({ dport: 443 }))`.
 * A packet among them stands for its layers, so a tunnel is `packet(eth(), ipv4(), udp(), gue(), inner)`.
 * @throws XdpError `XDP_PACKET_INVALID` when a layer or a field of it is wrong.
 */
export function packet<const P extends readonly PacketPart[]>(...parts: P): Packet<LayersOf<P>> {
  const specs: Values[] = [];
  for (const part of parts as readonly PacketPart[]) {
    if (part instanceof Packet) appendLayers(specs, specsOf(part));
    else specs.push(layerSpec(codecOf(part), part as unknown as Values));
  }
  checkTrailers(specs);
  return create({ specs: Object.freeze(specs) }) as Packet<LayersOf<P>>;
}

/** The packet that a frame describes. */
export function packetOfFrame(frame: Frame): Packet {
  return create({ frame });
}

/** The bytes and spans of a packet. */
export function frameOf(packet: Packet): Frame {
  return frameOfPacket(packet);
}
