import { describe, expect, test } from 'vitest';
import { dissect, type Layer, type LayerSpec, packet } from 'xdptest/packet';
import { combinations } from './support/combinations.ts';
import { hexOf } from './support/hex.ts';

const every = combinations(1);

/** The layers without the reasons that only dissecting gives. */
function withoutReasons(layers: readonly (Layer | LayerSpec)[]): unknown[] {
  return layers.map((layer) => (layer.kind === 'raw' ? { ...layer, reason: undefined } : layer));
}

describe('building and dissecting', () => {
  test(`agree on ${every.length} combinations of layers`, () => {
    for (const { name, packet: built } of every) {
      const dissected = dissect(built.bytes);
      expect(withoutReasons(dissected.layers), name).toEqual(withoutReasons(built.layers));
      expect(withoutReasons(dissected.parts), name).toEqual(withoutReasons(built.parts));
      expect(hexOf(packet(...dissected.layers).bytes), name).toBe(hexOf(built.bytes));
      expect(hexOf(packet(...dissected.parts).bytes), name).toBe(hexOf(built.bytes));
    }
  });
});
