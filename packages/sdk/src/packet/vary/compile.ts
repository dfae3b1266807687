/** Templates and sources to a recipe: every field is found here, once, and never again. */
import { invalidArgument } from '../../errors.ts';
import { dissect } from '../dissect.ts';
import { type FieldPlace, locateField } from '../fields.ts';
import type { ChecksumPlace } from '../layer-checksum.ts';
import { type FieldPath, Packet } from '../packet.ts';
import { type PacketLike, packetBytes } from '../packet-batch.ts';
import { compileSource } from './compile-source.ts';
import type { ChecksumRecipe, PartRecipe, TemplateRecipe, VaryRecipe } from './recipe.ts';
import type { FieldSource } from './sources.ts';

/** A template with the places of its varied fields. */
export interface Located {
  readonly packet: Packet;
  readonly places: readonly FieldPlace[];
}

/** The templates as packets. Bytes are dissected. */
export function locate(templates: readonly PacketLike[], paths: readonly string[]): Located[] {
  if (templates.length === 0) throw invalidArgument('vary: there must be at least one template');
  return templates.map((template, i) => {
    const packet = template instanceof Packet ? template : dissect(packetBytes(template, `template ${i}`));
    const places = paths.map((path) => locateField(packet, path as FieldPath));
    for (const { path, type, widthBits } of places) {
      if (['bytes', 'options', 'addresses'].includes(type) || widthBits > 128) {
        throw invalidArgument(`vary: ${path} is of variable length; give several templates instead`);
      }
    }
    refuseOverlaps(places);
    return { packet, places };
  });
}

export function compile(
  located: readonly Located[],
  sources: readonly FieldSource[],
  count: number,
): VaryRecipe {
  const first = located[0]!;
  return {
    version: 1,
    count,
    templates: located.map(compileTemplate),
    generators: sources.map((source, f) => compileSource(source, first.places[f]!, first.packet.bytes)),
  };
}

function compileTemplate({ packet, places }: Located): TemplateRecipe {
  return {
    bytes: packet.bytes.slice(),
    fields: places.map(partsOf),
    checksums: checksumsOf(places),
  };
}

/** Pieces of at most 32 bits, cut from the least significant end as the words of values are. */
function partsOf({ bitOffset, widthBits }: FieldPlace): PartRecipe[] {
  const parts: PartRecipe[] = [];
  for (let end = bitOffset + widthBits; end > bitOffset; end -= 32) {
    const width = Math.min(32, end - bitOffset);
    parts.unshift({ bitOffset: end - width, width });
  }
  return parts;
}

/** The checksums over any of the fields, from the inside out; one that is varied itself keeps the values it is given. */
function checksumsOf(places: readonly FieldPlace[]): ChecksumRecipe[] {
  const byOffset = new Map<number, ChecksumPlace>();
  for (const place of places) for (const checksum of place.checksums) byOffset.set(checksum.offset, checksum);
  return [...byOffset.values()]
    .filter(
      ({ offset }) =>
        !places.some(
          (place) => place.bitOffset < offset * 8 + 16 && offset * 8 < place.bitOffset + place.widthBits,
        ),
    )
    .sort((a, b) => b.layer - a.layer)
    .map(({ layer: _, ...checksum }) => checksum);
}

function refuseOverlaps(places: readonly FieldPlace[]): void {
  const sorted = [...places].sort((a, b) => a.bitOffset - b.bitOffset);
  for (let i = 1; i < sorted.length; i++) {
    const before = sorted[i - 1]!;
    const after = sorted[i]!;
    if (after.bitOffset < before.bitOffset + before.widthBits) {
      throw invalidArgument(`vary: ${before.path} and ${after.path} are the same bits of the packet`);
    }
  }
}
