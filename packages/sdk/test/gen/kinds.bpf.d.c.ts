// Types of kinds.bpf.c, made by xdptest from its BTF. Do not edit: each compilation writes them anew.
import type { AddressField, XdpMap, XdpObjectFile } from 'xdptest';

/** struct vip_key */
export interface vip_key {
  readonly addr: AddressField<'ipv4', number>;
  readonly port: number;
  readonly proto: number;
  readonly pad: number;
}

/** typedef backend_t */
export interface backend_t {
  readonly id: number;
  readonly mac: AddressField<'mac', Uint8Array>;
  readonly name: string;
}

/** struct everything */
export interface everything {
  readonly enabled: boolean;
  readonly small: number;
  readonly large: bigint;
  readonly mode: mode;
  readonly v4: AddressField<'ipv4', in_addr>;
  readonly v6: AddressField<'ipv6', Uint8Array>;
  readonly bytes: Uint8Array;
  readonly words: readonly number[];
  readonly low: number;
  readonly high: number;
  readonly flag: boolean;
  readonly nested: vip_key;
  readonly list: readonly vip_key[];
  readonly as_number: number;
  readonly first: number;
  readonly second: number;
  readonly anonymous: { readonly inside: number; };
  readonly next: bigint;
  readonly ratio: number;
}

/** enum mode */
export type mode =
  | 'MODE_SLOW'
  | 'MODE_FAST'
  | number;

/** struct in_addr */
export interface in_addr {
  readonly s_addr: AddressField<'ipv4', number>;
}

/** What kinds.bpf.c holds, by name. */
export interface Schema {
  readonly programs: 'first' | 'second';
  readonly maps: {
    /** hash, 64 entries */
    readonly vips: { readonly key: vip_key; readonly value: backend_t };
    /** percpu_array, 4 entries */
    readonly hits: { readonly key: number; readonly value: readonly bigint[] };
    /** hash_of_maps, 2 entries */
    readonly tables: { readonly key: number; readonly value: XdpMap<number, vip_key> };
    /** queue, 4 entries */
    readonly waiting: { readonly key: never; readonly value: Uint8Array };
    /** prog_array, 2 entries */
    readonly programs: { readonly key: number; readonly value: Uint8Array };
    /** array, 2 entries */
    readonly all: { readonly key: number; readonly value: everything };
    /** hash, 1 entry */
    readonly untyped: { readonly key: Uint8Array; readonly value: Uint8Array };
    /** ringbuf, 4096 entries */
    readonly events: { readonly key: never; readonly value: Uint8Array };
  };
  readonly variables: {
    /** const: can be set only when the object is loaded */
    readonly backend_count: number;
    /** const: can be set only when the object is loaded */
    readonly mode: mode;
    readonly gateway: AddressField<'ipv4', number>;
    readonly packets: bigint;
    readonly last_vip: vip_key;
  };
}

declare const object: XdpObjectFile<Schema>;
export default object;
