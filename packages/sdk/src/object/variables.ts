/** Global variables: where each one lies, their values before the load and, for .data and .bss, afterwards. */
import { XdpError } from '../errors.ts';
import { systemError } from '../kernel/index.ts';
import { type NativeHandle, type NativeMap, native } from '../native.ts';
import { type BpfValue, type Codec, encodeInto, encodeValue } from './codec.ts';
import type { CodecTable } from './codec-table.ts';

/** One global variable of an object. */
export interface Variable {
  readonly name: string;
  /** The internal map that holds it. */
  readonly map: NativeMap;
  readonly offset: number;
  readonly codec: Codec;
  readonly readOnly: boolean;
}

/** The variables of all sections, by name. */
export function findVariables(
  maps: readonly NativeMap[],
  types: CodecTable | undefined,
): Map<string, Variable> {
  const variables = new Map<string, Variable>();
  if (types === undefined) return variables;
  for (const map of maps) {
    const section = map.internal ? types.typeAt(map.valueType) : undefined;
    // libbpf fills .kconfig itself, from the kernel's configuration.
    if (section?.kind !== 'section' || section.name === '.kconfig') continue;
    for (const { type, offset } of section.variables) {
      const name = types.typeAt(type)?.name ?? '';
      if (name === '' || variables.has(name)) continue;
      const codec = types.codecOf(type);
      variables.set(name, { name, map, offset, codec, readOnly: section.name.startsWith('.rodata') });
    }
  }
  return variables;
}

/** The initial contents of each internal map that `values` changes, by the map's name. */
export function initialValues(
  variables: ReadonlyMap<string, Variable>,
  values: Readonly<Record<string, unknown>>,
  object: string,
): Map<string, Uint8Array> {
  const contents = new Map<string, Uint8Array>();
  for (const [name, value] of Object.entries(values)) {
    const variable = variables.get(name);
    if (variable === undefined) throw noSuchVariable(variables, name, object);
    const { map, offset, codec } = variable;
    let bytes = contents.get(map.name);
    if (bytes === undefined) {
      bytes = map.initialValue?.slice() ?? new Uint8Array(map.valueSize);
      contents.set(map.name, bytes);
    }
    bytes.fill(0, offset, offset + codec.size);
    encodeInto(codec, value, new DataView(bytes.buffer, bytes.byteOffset), offset, `variable ${name}`);
  }
  return contents;
}

function noSuchVariable(variables: ReadonlyMap<string, Variable>, name: string, object: string): XdpError {
  const known =
    variables.size === 0 ? 'it has none (or no BTF: compile with -g)' : [...variables.keys()].join(', ');
  return new XdpError('XDP_NOT_FOUND', `${object} has no global variable ${JSON.stringify(name)}: ${known}`);
}

/**
 * An object with an accessor for each variable; reading and writing goes straight to the program's memory.
 * A write throws `XDP_READ_ONLY` for .rodata, which is frozen once the object is loaded.
 */
export function variableAccessors(
  variables: ReadonlyMap<string, Variable>,
  handleOf: (map: string) => NativeHandle,
): Record<string, BpfValue> {
  const accessors: Record<string, BpfValue> = Object.create(null) as Record<string, BpfValue>;
  for (const variable of variables.values()) {
    const { name, map, offset, codec, readOnly } = variable;
    const access = (bytes?: Uint8Array): Uint8Array => {
      const out = native().mapMemory(handleOf(map.name), map.valueSize, offset, codec.size, bytes);
      if (typeof out === 'number') throw systemError(`variable ${name}`, 'mmap', -out);
      return out;
    };
    Object.defineProperty(accessors, name, {
      enumerable: true,
      get: () => {
        const bytes = access();
        return codec.decode(new DataView(bytes.buffer, bytes.byteOffset), 0);
      },
      set: (value: unknown) => {
        if (readOnly) {
          throw new XdpError(
            'XDP_READ_ONLY',
            `variable ${name} is const (.rodata) and frozen since the load: give it in load(..., { variables: { ${name}: ... } })`,
          );
        }
        access(encodeValue(codec, value, `variable ${name}`));
      },
    });
  }
  return Object.preventExtensions(accessors);
}
