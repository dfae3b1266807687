/**
 * Holds an object's BTF to what the codecs rely on. libbpf checks its form only, and the kernel sees it later: a damaged
 * object could send us round in circles, or ask for terabytes.
 */
import { XdpError } from '../errors.ts';
import type { NativeType } from '../native.ts';

/** @throws XdpError `XDP_OBJECT_INVALID` for types that contain themselves or reach beyond their own size */
export function checkTypes(types: readonly NativeType[]): void {
  const sizes = new Map<number, number>();
  const underWay = new Set<number>();

  /** Bytes of a type by value; pointers end the way, whatever they point to. */
  const sizeOf = (id: number): number => {
    const known = sizes.get(id);
    if (known !== undefined) return known;
    const type = types[id];
    if (id !== 0 && type === undefined) throw invalid(id, 'there is no such type');
    if (underWay.has(id)) throw invalid(id, 'it contains itself');
    underWay.add(id);
    const size = type === undefined ? 0 : ownSize(id, type);
    underWay.delete(id);
    if (!Number.isSafeInteger(size)) throw invalid(id, 'it is larger than any memory');
    sizes.set(id, size);
    return size;
  };

  const ownSize = (id: number, type: NativeType): number => {
    switch (type.kind) {
      case 'pointer':
        return 8;
      case 'typedef':
      case 'modifier':
      case 'variable':
        return sizeOf(type.type);
      case 'array':
        return sizeOf(type.type) * type.count;
      case 'struct':
      case 'union':
        for (const { name, type: member, bitOffset, bitSize } of type.members) {
          // Of a bitfield the type counts, too: it gives the range.
          const bits = bitSize === 0 ? bitsOf(member) : Math.min(bitSize, bitsOf(member));
          if (bitOffset + bits > 8 * type.size) {
            throw invalid(id, `its member ${JSON.stringify(name)} lies beyond its ${type.size} bytes`);
          }
        }
        return type.size;
      case 'section':
        // What is found in the kernel (.ksyms, .kconfig) has sizes of libbpf's making.
        for (const { type: variable, offset, size } of isExternal(type.name) ? [] : type.variables) {
          if (offset + size > type.size || sizeOf(variable) !== size) {
            throw invalid(
              id,
              `a variable of ${size} bytes at ${offset} does not fit its type or its section`,
            );
          }
        }
        return type.size;
      case 'int':
      case 'enum':
        if (![1, 2, 4, 8, 16].includes(type.size)) throw invalid(id, `it has ${type.size} bytes`);
        return type.size;
      case 'float':
        return type.size;
      case 'other':
        return 0;
    }
  };

  /** An integer may have fewer bits than its bytes: bitfields were told so before BTF had a flag for them. */
  const bitsOf = (id: number): number => {
    const size = sizeOf(id);
    const type = types[id];
    return type?.kind === 'int' ? type.bits : 8 * size;
  };

  const invalid = (id: number, what: string): XdpError =>
    new XdpError(
      'XDP_OBJECT_INVALID',
      `the BTF of the object is damaged: type ${id} (${JSON.stringify(types[id]?.name ?? '')}): ${what}`,
    );

  types.forEach((_, id) => {
    sizeOf(id);
  });
}

function isExternal(section: string): boolean {
  return section === '.ksyms' || section === '.kconfig';
}
