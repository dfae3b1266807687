/** The names and types of an object's parts, for objects whose types are known at compile time. */
import type { BpfValue } from './codec.ts';

export interface ObjectSchema {
  readonly programs: string;
  readonly maps: Readonly<Record<string, { readonly key: unknown; readonly value: unknown }>>;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The schema of an object of which nothing is known: any name, any value. */
export interface UntypedSchema extends ObjectSchema {
  readonly maps: Readonly<Record<string, { readonly key: BpfValue; readonly value: BpfValue }>>;
  readonly variables: Readonly<Record<string, BpfValue>>;
}
