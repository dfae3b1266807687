/** Sums over the CPUs of a per-CPU value. */
import { describeValue, XdpError } from '../errors.ts';
import type { BpfValue } from './codec.ts';

/** Adds numbers, and structs and arrays member by member. Throws `XDP_VALUE_INVALID` for values that have no sum. */
export function sumValues(values: readonly BpfValue[], path: string): BpfValue {
  const [first] = values;
  if (typeof first === 'number') return (values as readonly number[]).reduce((total, one) => total + one, 0);
  if (typeof first === 'bigint') return (values as readonly bigint[]).reduce((total, one) => total + one, 0n);
  if (Array.isArray(first)) {
    const lists = values as readonly (readonly BpfValue[])[];
    return first.map((_, i) =>
      sumValues(
        lists.map((list) => list[i]!),
        `${path}[${i}]`,
      ),
    );
  }
  if (first !== undefined && typeof first === 'object' && !(first instanceof Uint8Array)) {
    const objects = values as readonly Readonly<Record<string, BpfValue>>[];
    return Object.fromEntries(
      Object.keys(first).map((key) => [
        key,
        sumValues(
          objects.map((object) => object[key]!),
          `${path}.${key}`,
        ),
      ]),
    );
  }
  throw new XdpError(
    'XDP_VALUE_INVALID',
    `${path}: there is no sum of values such as ${describeValue(first)}`,
  );
}
