/** Values as they are written, brought into the form that reading gives. */
import { type Codec, encodeValue } from './codec.ts';
import { mapDefinition, type XdpMap } from './map.ts';

/**
 * A value of a map, as reading it would give it: addresses as numbers, left-out members as zero. Undefined when it is no
 * value of the map, or holds something to match rather than a value.
 */
export function normalizeValue(map: XdpMap<unknown, unknown>, value: unknown): unknown {
  const { value: codec, cpuStride } = mapDefinition(map);
  try {
    if (cpuStride > 0) return Array.isArray(value) ? value.map((one) => normalized(codec, one)) : undefined;
    return normalized(codec, value);
  } catch {
    return undefined;
  }
}

function normalized(codec: Codec, value: unknown): unknown {
  const bytes = encodeValue(codec, value, 'value');
  return codec.decode(new DataView(bytes.buffer), 0);
}
