/** Varied packets: the door of this room. */
export type { VaryRecipe } from './recipe.ts';
export {
  type FieldSource,
  type FieldValueInput,
  type ListSource,
  list,
  type RandomOptions,
  type RandomSource,
  type RangeOptions,
  type RangeSource,
  random,
  range,
  type SequenceOptions,
  type SequenceSource,
  sequence,
} from './sources.ts';
export { VariedPackets } from './varied-packets.ts';
export { type VaryFields, type VaryOptions, vary } from './vary.ts';
