/** What the addon says of BPF objects, and what it is told to load. */
import type { NativeHandle } from './handle.ts';

export interface NativeMap {
  readonly name: string;
  readonly type: number;
  readonly keySize: number;
  readonly valueSize: number;
  readonly maxEntries: number;
  readonly flags: number;
  /** BTF type ids; 0 where the object says nothing. */
  readonly keyType: number;
  readonly valueType: number;
  /** One of libbpf's own: .rodata, .data, .bss, .kconfig. */
  readonly internal: boolean;
  readonly pinByName: boolean;
  readonly initialValue?: Uint8Array;
  readonly inner?: NativeMap;
}

export interface NativeProgram {
  readonly name: string;
  readonly section: string;
  /** enum bpf_prog_type; 0 when libbpf does not know the section. */
  readonly type: number;
  readonly expectedAttachType: number;
  readonly flags: number;
  readonly instructions: number;
  readonly autoload: boolean;
}

/** One BTF type; the index in the list is its id, index 0 (void) is a hole. */
export type NativeType = { readonly name: string } & (
  | { readonly kind: 'int'; readonly size: number; readonly bits: number; readonly encoding: number }
  | { readonly kind: 'float'; readonly size: number }
  | { readonly kind: 'pointer' | 'typedef' | 'modifier' | 'variable'; readonly type: number }
  | { readonly kind: 'array'; readonly type: number; readonly count: number }
  | {
      readonly kind: 'struct' | 'union';
      readonly size: number;
      readonly members: readonly {
        readonly name: string;
        readonly type: number;
        readonly bitOffset: number;
        readonly bitSize: number;
      }[];
    }
  | {
      readonly kind: 'enum';
      readonly size: number;
      readonly signed: boolean;
      readonly values: readonly { readonly name: string; readonly value: number | bigint }[];
    }
  | {
      readonly kind: 'section';
      readonly size: number;
      readonly variables: readonly {
        readonly type: number;
        readonly offset: number;
        readonly size: number;
      }[];
    }
  | { readonly kind: 'other' }
);

export interface NativeFailure {
  readonly errno: number;
  readonly stage: 'open' | 'configure' | 'load';
  /** What libbpf printed. */
  readonly messages: string;
  readonly log?: string;
  readonly program?: string;
}

export interface NativeObject {
  readonly programs: readonly NativeProgram[];
  readonly maps: readonly NativeMap[];
  readonly types?: readonly NativeType[];
}

export interface NativeLoadConfig {
  readonly programs: readonly {
    readonly name: string;
    readonly autoload?: number;
    readonly type?: number;
    readonly expectedAttachType?: number;
    readonly flags?: number;
  }[];
  readonly maps: readonly {
    readonly name: string;
    readonly maxEntries?: number;
    readonly initialValue?: Uint8Array;
    readonly innerFd?: number;
  }[];
  readonly logLevel?: number;
  readonly pinRoot?: string;
}

export interface NativeLoaded {
  readonly programs: Readonly<
    Record<string, { readonly handle: NativeHandle; readonly id: number; readonly mayRedirect: boolean }>
  >;
  readonly maps: Readonly<
    Record<string, { readonly handle: NativeHandle; readonly id: number; readonly maxEntries: number }>
  >;
  readonly log?: string;
}
