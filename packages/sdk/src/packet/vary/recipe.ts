/**
 * What a worker needs to make its share of varied packets: bytes and numbers only, so that it can be cloned to another
 * thread or written to a file. Nothing in it refers to layers: those were resolved when it was made.
 */

/** A piece of a field of at most 32 bits; wider fields have several, the most significant first. */
export interface PartRecipe {
  readonly bitOffset: number;
  readonly width: number;
}

/** A checksum to write anew. Offsets count from the packet's start. */
export interface ChecksumRecipe {
  readonly offset: number;
  readonly algorithm: 'internet' | 'crc32c';
  readonly from: number;
  readonly to: number;
  readonly pseudo: readonly { readonly from: number; readonly to: number }[];
  readonly constant: number;
  readonly zeroMeansNone: boolean;
}

/** One of the templates. */
export interface TemplateRecipe {
  readonly bytes: Uint8Array;
  /** For each field its parts in this template. */
  readonly fields: readonly (readonly PartRecipe[])[];
  /** The order in which to write them: a checksum may cover those before it. */
  readonly checksums: readonly ChecksumRecipe[];
}

/**
 * How positions become values. `words` are unsigned 32-bit numbers, the most significant first, one for each part.
 */
export type GeneratorRecipe =
  /** base + position * step, in counting order or shuffled. */
  | {
      readonly kind: 'count';
      readonly base: readonly number[];
      readonly step: number;
      readonly size: number;
      readonly shuffle: number | undefined;
    }
  /** One of the values, each as its words. */
  | { readonly kind: 'list'; readonly values: Uint32Array; readonly size: number; readonly cycle: boolean }
  /** base | (random & mask): a range whose size is a power of two. */
  | {
      readonly kind: 'mask';
      readonly seed: number;
      readonly base: readonly number[];
      readonly mask: readonly number[];
    }
  /** base + a random number below `size`. */
  | {
      readonly kind: 'below';
      readonly seed: number;
      readonly base: readonly number[];
      readonly size: number;
    };

/** A recipe; see {@link VariedPackets.recipe}. */
export interface VaryRecipe {
  readonly version: 1;
  readonly count: number;
  readonly templates: readonly TemplateRecipe[];
  /** For each field how its values come about. */
  readonly generators: readonly GeneratorRecipe[];
}
