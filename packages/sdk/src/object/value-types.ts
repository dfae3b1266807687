/** Types of values: what a map or variable takes, made from what reading it gives. */
import type { BpfValue } from './codec.ts';

/** The kinds of address that a field of the right type can be given as text. */
export type AddressFamily = 'ipv4' | 'ipv6' | 'mac';

/**
 * A value that an address is kept in, such as a `__be32`. It reads as `T`, and may also be written as text:
 * `'192.0.2.1'`. The mark exists in types alone; any `T` is one.
 */
export type AddressField<F extends AddressFamily, T> = T & { readonly __address?: F };

/**
 * What may be written where reading gives `T`: members of structs may be left out (they are zero), whole numbers of 64
 * bits may be numbers, enumerators their number, addresses text, byte arrays arrays of numbers.
 */
export type BpfInput<T> = unknown extends T
  ? T
  : [BpfValue] extends [T]
    ? T
    : '__address' extends keyof T
      ? string | Unmarked<T>
      : Plain<T>;

type Unmarked<T> = T extends number
  ? number
  : T extends Uint8Array
    ? Uint8Array | readonly number[]
    : T extends readonly (infer E)[]
      ? readonly BpfInput<E>[]
      : Partial<Omit<T, '__address'>>;

type Plain<T> = T extends string | number | boolean
  ? T
  : T extends bigint
    ? bigint | number
    : T extends Uint8Array
      ? Uint8Array | readonly number[]
      : T extends readonly (infer E)[]
        ? readonly BpfInput<E>[]
        : T extends object
          ? { readonly [N in keyof T]?: BpfInput<T[N]> | undefined } | Uint8Array
          : T;
