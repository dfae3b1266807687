/** A recipe as loops over columns: each is short, and always works on the same kinds of arrays. */

import { addWords, foldSum } from '../checksum.ts';
import { writeChecksum } from '../layer-checksum.ts';
import type { ChecksumRecipe, PartRecipe, TemplateRecipe } from './recipe.ts';

/** Where the packets of a block start in it, and which of them have this template: every `stride`th from `first` on. */
export interface BlockLayout {
  readonly starts: Int32Array;
  readonly first: number;
  readonly stride: number;
  readonly count: number;
}

/** The values of a block: for each field, for each of its parts, one for each packet. */
export type Columns = readonly (readonly Uint32Array[])[];

/** Writes one part of a field, or one checksum, into the packets of a block, which are bare templates before. */
export type Pass = (bytes: Uint8Array, block: BlockLayout, columns: Columns) => void;

/** The passes for one template, in their order. */
export function compileTemplate(template: TemplateRecipe, blockSize: number): readonly Pass[] {
  const bare = bareTemplate(template);
  const passes: Pass[] = [];
  const parts = template.fields.flatMap((field, f) => field.map((part, p) => ({ part, f, p })));
  for (const { part, f, p } of parts) {
    const write = writer(part);
    passes.push((bytes, block, columns) => write(bytes, block, columns[f]![p]!));
  }
  // What is covered by a checksum: the parts of fields, and checksums that were written before.
  const covered: { part: PartRecipe; column: (columns: Columns) => Uint32Array }[] = parts.map(
    ({ part, f, p }) => ({
      part,
      column: (columns) => columns[f]![p]!,
    }),
  );
  let recompute = false;
  for (const checksum of template.checksums) {
    // CRC32c, and whatever covers one, is computed from all of its bytes.
    recompute ||= checksum.algorithm === 'crc32c';
    if (recompute) {
      passes.push(recomputePass(checksum));
      continue;
    }
    const sums = new Uint32Array(blockSize);
    const base = foldSum(coveredSum(bare, checksum));
    const terms = covered.flatMap(({ part, column }) =>
      termsOf(part, checksum).map((term) => ({ ...term, column })),
    );
    const own: PartRecipe = { bitOffset: checksum.offset * 8, width: 16 };
    const write = writer(own);
    passes.push((bytes, block, columns) => {
      sums.fill(base, 0, block.count);
      for (const { column, right, mask, left } of terms)
        addTerm(sums, column(columns), block.count, right, mask, left);
      finish(sums, block.count, checksum.zeroMeansNone);
      write(bytes, block, sums);
    });
    covered.push({ part: own, column: () => sums });
  }
  return passes;
}

/** The template with zeros where fields and checksums will be written: passes may then `or` bits in, and sums add up. */
export function bareTemplate({ bytes, fields, checksums }: TemplateRecipe): Uint8Array {
  const bare = bytes.slice();
  const places = fields.flat();
  for (const { offset, algorithm } of checksums)
    places.push({ bitOffset: offset * 8, width: algorithm === 'crc32c' ? 32 : 16 });
  for (const { bitOffset, width } of places) {
    for (let bit = bitOffset; bit < bitOffset + width; bit++) bare[bit >> 3]! &= ~(0x80 >> (bit & 7));
  }
  return bare;
}

function coveredSum(bare: Uint8Array, { from, to, pseudo, constant }: ChecksumRecipe): number {
  let sum = addWords(constant, bare, from, to);
  for (const range of pseudo) sum = addWords(sum, bare, range.from, range.to);
  return sum;
}

/** A share of a value in one 16-bit word of a sum: ((value >>> right) & mask) << left. */
interface Term {
  readonly right: number;
  readonly mask: number;
  readonly left: number;
}

/**
 * What a part adds to a checksum, as RFC 1624 has it for a change: here from zeros to the value. Words count from the
 * start of the range, so a field at an odd distance is split over two of them.
 */
function termsOf(part: PartRecipe, checksum: ChecksumRecipe): Term[] {
  const terms: Term[] = [];
  const end = part.bitOffset + part.width;
  for (const range of [checksum, ...checksum.pseudo]) {
    if (part.bitOffset >= range.to * 8 || end <= range.from * 8) continue;
    const firstWord = Math.floor((part.bitOffset - range.from * 8) / 16);
    for (let word = range.from * 8 + firstWord * 16; word < end; word += 16) {
      const from = Math.max(word, part.bitOffset);
      const to = Math.min(word + 16, end);
      terms.push({ right: end - to, mask: 2 ** (to - from) - 1, left: word + 16 - to });
    }
  }
  return terms;
}

function addTerm(
  sums: Uint32Array,
  values: Uint32Array,
  count: number,
  right: number,
  mask: number,
  left: number,
): void {
  for (let j = 0; j < count; j++) sums[j]! += ((values[j]! >>> right) & mask) << left;
}

/** Folds the sums and complements them. */
function finish(sums: Uint32Array, count: number, zeroMeansNone: boolean): void {
  const none = zeroMeansNone ? 0xffff : 0;
  for (let j = 0; j < count; j++) {
    let sum = sums[j]!;
    sum = (sum & 0xffff) + (sum >>> 16);
    sum = (sum & 0xffff) + (sum >>> 16);
    const checksum = 0xffff - sum;
    sums[j] = checksum === 0 ? none : checksum;
  }
}

function recomputePass(checksum: ChecksumRecipe): Pass {
  const place = { ...checksum, layer: 0 };
  return (bytes, { starts, first, stride, count }) => {
    for (let j = first; j < count; j += stride) writeChecksum(bytes, place, starts[j]!);
  };
}

type Writer = (bytes: Uint8Array, block: BlockLayout, values: Uint32Array) => void;

/** How a part is written: whole bytes at once, or bit by bit into zeros. */
function writer({ bitOffset, width }: PartRecipe): Writer {
  const offset = bitOffset >> 3;
  if (bitOffset % 8 === 0) {
    if (width === 32) return (bytes, block, values) => write32(bytes, block, values, offset);
    if (width === 16) return (bytes, block, values) => write16(bytes, block, values, offset);
    if (width === 8) return (bytes, block, values) => write8(bytes, block, values, offset);
  }
  const end = bitOffset + width;
  const last = (end - 1) >> 3;
  return (bytes, block, values) => {
    for (let byte = offset; byte <= last; byte++) {
      // This byte's bits are those of the value from bit `shift` on.
      const shift = end - (byte * 8 + 8);
      if (shift >= 0) orBits(bytes, block, values, byte, shift, 0);
      else orBits(bytes, block, values, byte, 0, -shift);
    }
  };
}

function write32(
  bytes: Uint8Array,
  { starts, first, stride, count }: BlockLayout,
  values: Uint32Array,
  offset: number,
): void {
  for (let j = first; j < count; j += stride) {
    const at = starts[j]! + offset;
    const value = values[j]!;
    bytes[at] = value >>> 24;
    bytes[at + 1] = value >>> 16;
    bytes[at + 2] = value >>> 8;
    bytes[at + 3] = value;
  }
}

function write16(
  bytes: Uint8Array,
  { starts, first, stride, count }: BlockLayout,
  values: Uint32Array,
  offset: number,
): void {
  for (let j = first; j < count; j += stride) {
    const at = starts[j]! + offset;
    const value = values[j]!;
    bytes[at] = value >>> 8;
    bytes[at + 1] = value;
  }
}

function write8(
  bytes: Uint8Array,
  { starts, first, stride, count }: BlockLayout,
  values: Uint32Array,
  offset: number,
): void {
  for (let j = first; j < count; j += stride) bytes[starts[j]! + offset] = values[j]!;
}

/** Values have no bits above their width: the first byte gets only what belongs to the field. */
function orBits(
  bytes: Uint8Array,
  { starts, first, stride, count }: BlockLayout,
  values: Uint32Array,
  offset: number,
  right: number,
  left: number,
): void {
  for (let j = first; j < count; j += stride) bytes[starts[j]! + offset]! |= (values[j]! >>> right) << left;
}
