/** The matchers, typed by what is expected of: `expect(map).toHaveEntry(...)` knows the map's keys and values. */
import type { BpfInput, XdpMap } from '../../object/index.ts';
import type { LayersMatch, PacketLike } from '../../packet/index.ts';
import type { XdpAction } from '../../run/index.ts';
import type { RedirectExpectation } from './redirect.ts';

type KeyOf<M> = M extends XdpMap<infer K, infer _V> ? BpfInput<K> : unknown;
type ValueOf<M> = M extends XdpMap<infer _K, infer V> ? BpfInput<V> : unknown;
type CountOf<M> =
  M extends XdpMap<infer _K, infer V> ? LooseCount<V extends readonly (infer E)[] ? E : V> : unknown;
type LooseCount<V> = V extends number | bigint
  ? number | bigint
  : V extends object
    ? { readonly [N in keyof V]?: LooseCount<V[N]> }
    : V;

/** Options of `toEqualPacket`. */
export interface EqualPacketOptions {
  /** What may differ: fields (`'ipv4.id'`), fields of any layer (`'*.checksum'`), layers (`'trailer'`). */
  readonly ignore?: readonly string[];
}

/** Options of `toBeUniform`. */
export interface UniformOptions {
  /** The largest coefficient of variation (0.02 is 2 per cent). */
  readonly maxCv?: number;
  /** How improbable chance may make the counts before they are not uniform. Default 0.001, unless `maxCv` is given. */
  readonly alpha?: number;
  /** The keys that there are, or how many: one that was never hit is in no count. */
  readonly among?: number | Iterable<unknown>;
  /** Weights by key, where not all are to get the same. */
  readonly expected?: ReadonlyMap<unknown, number> | Readonly<Record<string, number>>;
}

/** Options of `toHaveChurnBelow`. */
export interface ChurnBelowOptions {
  /** Which share: `disruption` (the default), flows that moved for nothing; or `share`, all flows that moved. */
  readonly of?: 'disruption' | 'share';
}

/** The matchers of this package. The plugin adds them to every `expect`. */
export interface XdpMatchers<M = unknown> {
  /** The verdict is XDP_PASS: of one packet, or of every packet of `runMany`. */
  toPass(): void;
  /** The verdict is XDP_DROP. */
  toDrop(): void;
  /** The verdict is XDP_TX. */
  toTx(): void;
  /** The verdict is XDP_ABORTED. */
  toAbort(): void;
  /** The verdict is XDP_REDIRECT; to this target, where one is given. */
  toRedirect(target?: RedirectExpectation): void;
  /** The verdict is the given one, by the name of an action or by number. */
  toHaveVerdict(verdict: XdpAction | number): void;
  /** The packet that came out (or the packet itself) equals another, field by field. */
  toEqualPacket(expected: PacketLike, options?: EqualPacketOptions): void;
  /** The packet has these layers with these fields: `{ ipv4: { dst: '10.1.0.0/16' }, gue: false }`. */
  toMatchLayers(layers: LayersMatch): void;
  /** The map has the key and, where one is given, this value. */
  toHaveEntry(key: KeyOf<M>, value?: ValueOf<M>): void;
  /** The counter of a key, summed over the CPUs in a per-CPU map; of a struct, the members that are given. */
  toHaveCount(key: KeyOf<M>, count: CountOf<M>): void;
  /** The counts by key are as even as chance makes them, or have at most a given coefficient of variation. */
  toBeUniform(options?: UniformOptions): void;
  /** Of the result of `churn`: a share of less than `limit` of the flows moved, and none went to what was removed. */
  toHaveChurnBelow(limit: number, options?: ChurnBelowOptions): void;
}

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: all declarations of an interface must have the same parameters.
  interface Matchers<T = any> extends XdpMatchers<T> {}
}
