/** What a map is: its kind, sizes and codecs, apart from what it holds. */
import type { NativeMap } from '../native.ts';
import { isIndexed, isKeyless, isPerCpu, type MapType, mapTypeName } from './bpf-constants.ts';
import { type Codec, rawCodec } from './codec.ts';
import { integerCodec } from './codec-scalar.ts';
import type { CodecTable } from './codec-table.ts';

export interface MapDefinition {
  readonly name: string;
  readonly type: MapType;
  readonly typeNumber: number;
  readonly maxEntries: number;
  readonly flags: number;
  /** Undefined for maps without keys (queues, ring buffers). */
  readonly key: Codec | undefined;
  /** Of one value; a per-CPU map has one for each possible CPU. */
  readonly value: Codec;
  /** What the kernel copies for one lookup. */
  readonly valueBytes: number;
  /** Bytes from one CPU's value to the next; 0 unless the map is per-CPU. */
  readonly cpuStride: number;
  readonly cpus: number;
  /** The definition of the maps in this one. */
  readonly inner: MapDefinition | undefined;
}

/** The bytes of one value for each of `cpus` CPUs: rounded up to 8 each (kernel/bpf/syscall.c, bpf_map_value_size). */
function strideOf(valueSize: number): number {
  return Math.ceil(valueSize / 8) * 8;
}

export function defineMap(
  map: NativeMap,
  types: CodecTable | undefined,
  cpus: number,
  maxEntries?: number,
): MapDefinition {
  const type = mapTypeName(map.type);
  const value = codecFor(types, map.valueType, map.valueSize, false);
  const cpuStride = isPerCpu(type) ? strideOf(map.valueSize) : 0;
  return {
    name: map.name,
    type,
    typeNumber: map.type,
    maxEntries: maxEntries ?? map.maxEntries,
    flags: map.flags,
    key: isKeyless(type) ? undefined : codecFor(types, map.keyType, map.keySize, isIndexed(type)),
    value,
    valueBytes: cpuStride === 0 ? map.valueSize : cpuStride * cpus,
    cpuStride,
    cpus,
    inner: map.inner === undefined ? undefined : defineMap(map.inner, types, cpus),
  };
}

/** Without BTF a key or value is its bytes, save for an index, which is a 32-bit number by the kernel's own rule. */
function codecFor(types: CodecTable | undefined, typeId: number, size: number, index: boolean): Codec {
  if (types !== undefined && typeId > 0) {
    const codec = types.codecOf(typeId);
    if (codec.size === size) return codec;
  }
  return index && size === 4 ? integerCodec({ name: '__u32', size: 4, encoding: 0 }, []) : rawCodec(size);
}
