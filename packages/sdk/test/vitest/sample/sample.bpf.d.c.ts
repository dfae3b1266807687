// Types of sample.bpf.c, made by xdptest from its BTF. Do not edit: each compilation writes them anew.
import type { AddressField, XdpObjectFile } from 'xdptest';

/** struct vip */
export interface vip {
  readonly address: AddressField<'ipv4', number>;
  readonly port: number;
  readonly pad: number;
}

/** struct counters */
export interface counters {
  readonly packets: bigint;
  readonly bytes: bigint;
}

/** What sample.bpf.c holds, by name. */
export interface Schema {
  readonly programs: 'decide' | 'hop' | 'to_loopback';
  readonly maps: {
    /** hash, 16 entries */
    readonly vips: { readonly key: number; readonly value: vip };
    /** percpu_array, 2 entries */
    readonly counted: { readonly key: number; readonly value: readonly counters[] };
  };
  readonly variables: {
    /** const: can be set only when the object is loaded */
    readonly verdict: number;
    readonly runs: bigint;
  };
}

declare const object: XdpObjectFile<Schema>;
export default object;
