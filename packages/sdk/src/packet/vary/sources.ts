/** Where the values of a varied field come from. */
import { describeValue, expectInteger, expectOptions, invalidArgument } from '../../errors.ts';

/** A value of a field: as the field has it (`'10.0.0.1'`), or the whole number that its bits make. */
export type FieldValueInput = string | number | bigint | boolean | readonly string[];

/** Values in a row; back to the first after the last. */
export interface RangeSource {
  readonly kind: 'range';
  /** A prefix such as `10.0.0.0/12` if there is no `to`. */
  readonly from: FieldValueInput;
  readonly to: FieldValueInput | undefined;
  readonly shuffle: number | undefined;
}

/** Values with a step between them; back to the first after the last that fits. */
export interface SequenceSource {
  readonly kind: 'sequence';
  readonly from: FieldValueInput | undefined;
  readonly to: FieldValueInput | undefined;
  readonly step: number;
}

/** Random values that depend on the seed, the field and the packet's number alone. */
export interface RandomSource {
  readonly kind: 'random';
  readonly seed: number;
  readonly prefix: string | undefined;
  readonly from: FieldValueInput | undefined;
  readonly to: FieldValueInput | undefined;
}

/** The values of a list in turn. */
export interface ListSource {
  readonly kind: 'list';
  readonly values: readonly FieldValueInput[];
}

/** A source of values; made by {@link range}, {@link sequence}, {@link random} or {@link list}. */
export type FieldSource = RangeSource | SequenceSource | RandomSource | ListSource;

/** Options of {@link range}. */
export interface RangeOptions {
  /** A seed: the values come in a random order, each still once before any comes again. */
  readonly shuffle?: number;
}

/** All values of a prefix (`range('10.0.0.0/12')`), or from one to another, both included (`range(1024, 65535)`). */
export function range(prefix: string, options?: RangeOptions): RangeSource;
export function range(from: FieldValueInput, to: FieldValueInput, options?: RangeOptions): RangeSource;
export function range(
  from: FieldValueInput,
  second?: FieldValueInput | RangeOptions,
  third?: RangeOptions,
): RangeSource {
  const hasTo = second !== undefined && (typeof second !== 'object' || Array.isArray(second));
  const options = hasTo ? third : (second as RangeOptions | undefined);
  const { shuffle } = expectOptions<RangeOptions>('range', options, ['shuffle']);
  if (!hasTo && !(typeof from === 'string' && from.includes('/'))) {
    throw invalidArgument(
      `range needs a prefix such as '10.0.0.0/12', or two values; got ${describeValue(from)}`,
    );
  }
  return Object.freeze({
    kind: 'range',
    from,
    to: hasTo ? (second as FieldValueInput) : undefined,
    shuffle: shuffle === undefined ? undefined : expectSeed('range: shuffle', shuffle),
  });
}

/** Options of {@link sequence}. */
export interface SequenceOptions {
  /** Default: the value in the template. */
  readonly from?: FieldValueInput;
  /** The last value allowed. Default: the largest (with a negative step, the smallest) that the field can have. */
  readonly to?: FieldValueInput;
  /** Default 1; may be negative. */
  readonly step?: number;
}

/** `from`, `from + step`, ... up to `to`, and from the start again. */
export function sequence(options?: SequenceOptions): SequenceSource {
  const { from, to, step = 1 } = expectOptions<SequenceOptions>('sequence', options, ['from', 'to', 'step']);
  if (step === 0) throw invalidArgument('sequence: step must not be 0');
  expectInteger('sequence: step', step, -(2 ** 48), 2 ** 48);
  return Object.freeze({ kind: 'sequence', from, to, step });
}

/** Options of {@link random}. */
export interface RandomOptions {
  /** Default 0. The same seed gives the same values, in every run and every process. */
  readonly seed?: number;
  /** Only values of this prefix. */
  readonly prefix?: string;
  /** The smallest value; default 0. */
  readonly from?: FieldValueInput;
  /** The largest value; default the largest that the field can have. */
  readonly to?: FieldValueInput;
}

/** Random values, all equally likely. Two fields with the same seed are independent of each other. */
export function random(options?: RandomOptions): RandomSource {
  const {
    seed = 0,
    prefix,
    from,
    to,
  } = expectOptions<RandomOptions>('random', options, ['seed', 'prefix', 'from', 'to']);
  if (prefix !== undefined && (typeof prefix !== 'string' || !prefix.includes('/'))) {
    throw invalidArgument(`random: prefix must be one such as '10.0.0.0/8', got ${describeValue(prefix)}`);
  }
  if (prefix !== undefined && (from !== undefined || to !== undefined)) {
    throw invalidArgument('random: give either prefix, or from and to');
  }
  return Object.freeze({ kind: 'random', seed: expectSeed('random: seed', seed), prefix, from, to });
}

/** Each value in turn. A value that is there twice comes twice as often. */
export function list(values: Iterable<FieldValueInput>): ListSource {
  if (values === null || typeof values !== 'object' || !(Symbol.iterator in values)) {
    throw invalidArgument(`list: values must be an array, got ${describeValue(values)}`);
  }
  const all = [...values];
  if (all.length === 0) throw invalidArgument('list: there must be at least one value');
  return Object.freeze({ kind: 'list', values: Object.freeze(all) });
}

function expectSeed(name: string, seed: unknown): number {
  return expectInteger(name, seed, 0, Number.MAX_SAFE_INTEGER);
}
