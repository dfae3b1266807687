/** Numbers of include/uapi/linux/bpf.h that the object room needs, under the field's names. */

/** enum bpf_prog_type */
export const BPF_PROG_TYPE_XDP = 6;

/** enum bpf_attach_type. `none` is what loaders older than 5.9's libbpf pass. */
export const attachTypes = { none: 0, xdp_devmap: 33, xdp_cpumap: 35, xdp: 37 } as const;

/** prog_flags of BPF_PROG_LOAD: the program copes with packets in several fragments (5.18). */
export const BPF_F_XDP_HAS_FRAGS = 1 << 5;

/** enum bpf_map_type, by number. */
const mapTypeNames = [
  'unspec',
  'hash',
  'array',
  'prog_array',
  'perf_event_array',
  'percpu_hash',
  'percpu_array',
  'stack_trace',
  'cgroup_array',
  'lru_hash',
  'lru_percpu_hash',
  'lpm_trie',
  'array_of_maps',
  'hash_of_maps',
  'devmap',
  'sockmap',
  'cpumap',
  'xskmap',
  'sockhash',
  'cgroup_storage',
  'reuseport_sockarray',
  'percpu_cgroup_storage',
  'queue',
  'stack',
  'sk_storage',
  'devmap_hash',
  'struct_ops',
  'ringbuf',
  'inode_storage',
  'task_storage',
  'bloom_filter',
  'user_ringbuf',
  'cgrp_storage',
  'arena',
] as const;

/** The kind of a map, named as in `bpftool map`. */
export type MapType = (typeof mapTypeNames)[number];

export function mapTypeName(type: number): MapType {
  return mapTypeNames[type] ?? 'unspec';
}

export function mapTypeNumber(type: MapType): number {
  return mapTypeNames.indexOf(type);
}

const perCpu: ReadonlySet<MapType> = new Set(['percpu_hash', 'percpu_array', 'lru_percpu_hash']);
const keyless: ReadonlySet<MapType> = new Set(['queue', 'stack', 'bloom_filter', 'ringbuf', 'user_ringbuf']);
/** Their key is an index from 0 to max_entries - 1, and all entries exist from the start. */
const plainArrays: ReadonlySet<MapType> = new Set(['array', 'percpu_array']);
const indexed: ReadonlySet<MapType> = new Set([
  ...plainArrays,
  'prog_array',
  'perf_event_array',
  'cgroup_array',
  'array_of_maps',
  'devmap',
  'sockmap',
  'cpumap',
  'xskmap',
  'reuseport_sockarray',
]);

export const isPerCpu = (type: MapType): boolean => perCpu.has(type);
export const isKeyless = (type: MapType): boolean => keyless.has(type);
export const isPlainArray = (type: MapType): boolean => plainArrays.has(type);
export const isIndexed = (type: MapType): boolean => indexed.has(type);
export const isMapOfMaps = (type: MapType): boolean => type === 'array_of_maps' || type === 'hash_of_maps';

/** Flags of BPF_MAP_UPDATE_ELEM. */
export const updateFlags = { any: 0, create: 1, exist: 2 } as const;
