/** The TypeScript declaration of an object file: its programs, maps and variables, typed by BTF. */
import { XdpError } from '../errors.ts';
import { type NativeMap, type NativeObject, native } from '../native.ts';
import { isIndexed, isKeyless, isMapOfMaps, isPerCpu, mapTypeName } from './bpf-constants.ts';
import { CodecTable } from './codec-table.ts';
import { loadError } from './load-error.ts';
import { property, TypeWriter } from './type-writer.ts';
import { findVariables } from './variables.ts';

/**
 * The text of a declaration.
 * @param bytes the object file
 * @param name what it was made from, for the text's first line and for messages
 * @throws XdpError `XDP_OBJECT_INVALID`
 */
export function declarationOf(bytes: Uint8Array, name: string): string {
  const object = native().inspectObject(bytes, 'types');
  if ('errno' in object) throw loadError(name, object);
  return new Declaration(object).text(name);
}

class Declaration {
  readonly #object: NativeObject;
  readonly #table: CodecTable | undefined;
  readonly #types: TypeWriter;

  constructor(object: NativeObject) {
    this.#object = object;
    this.#table = object.types === undefined ? undefined : new CodecTable(object.types);
    this.#types = new TypeWriter(this.#table);
  }

  text(name: string): string {
    const schema = [
      'export interface Schema {',
      `  readonly programs: ${this.#programs()};`,
      ...block('  readonly maps: {', this.#maps(), '  };'),
      ...block('  readonly variables: {', this.#variables(), '  };'),
      '}',
    ];
    const imports = ['XdpObjectFile', ...this.#types.imports].sort().join(', ');
    return `${[
      `// Types of ${name}, made by xdptest from its BTF. Do not edit: each compilation writes them anew.`,
      `import type { ${imports} } from 'xdptest';`,
      '',
      ...this.#types.declarations.flatMap((declaration) => [declaration, '']),
      `/** What ${name} holds, by name. */`,
      ...schema,
      '',
      'declare const object: XdpObjectFile<Schema>;',
      'export default object;',
    ].join('\n')}\n`;
  }

  #programs(): string {
    const names = this.#object.programs.map(({ name }) => `'${name}'`);
    return names.length === 0 ? 'never' : names.join(' | ');
  }

  #maps(): string[] {
    return this.#object.maps
      .filter((map) => !map.internal)
      .flatMap((map) => [
        `    /** ${mapTypeName(map.type)}, ${map.maxEntries} ${map.maxEntries === 1 ? 'entry' : 'entries'} */`,
        `    readonly ${property(map.name)}: ${this.#map(map)};`,
      ]);
  }

  #map(map: NativeMap): string {
    return `{ readonly key: ${this.#key(map)}; readonly value: ${this.#value(map)} }`;
  }

  #key(map: NativeMap): string {
    const type = mapTypeName(map.type);
    if (isKeyless(type)) return 'never';
    return (
      this.#of(map.keyType, map.keySize) ?? (isIndexed(type) && map.keySize === 4 ? 'number' : 'Uint8Array')
    );
  }

  #value(map: NativeMap): string {
    const type = mapTypeName(map.type);
    if (isMapOfMaps(type)) {
      this.#types.import('XdpMap');
      const { inner } = map;
      if (inner !== undefined) return `XdpMap<${this.#key(inner)}, ${this.#value(inner)}>`;
      return 'XdpMap';
    }
    const one = this.#of(map.valueType, map.valueSize) ?? 'Uint8Array';
    return isPerCpu(type) ? `readonly ${element(one)}[]` : one;
  }

  /** Mirrors codecFor of the object room: a type whose size is not that of the map is not the map's. */
  #of(id: number, size: number): string | undefined {
    if (this.#table === undefined || id <= 0 || this.#table.codecOf(id).size !== size) return undefined;
    return this.#types.type(id);
  }

  #variables(): string[] {
    const lines: string[] = [];
    for (const { name, readOnly } of findVariables(this.#object.maps, this.#table).values()) {
      const id = this.#variableType(name);
      if (id === undefined) continue;
      if (readOnly) lines.push('    /** const: can be set only when the object is loaded */');
      lines.push(`    readonly ${property(name)}: ${this.#types.type(id)};`);
    }
    return lines;
  }

  #variableType(name: string): number | undefined {
    const types = this.#object.types ?? [];
    const id = types.findIndex((type) => type?.kind === 'variable' && type.name === name);
    return id < 0 ? undefined : id;
  }
}

function block(open: string, lines: readonly string[], close: string): string[] {
  return lines.length === 0 ? [`${open}${close.trim()}`] : [open, ...lines, close];
}

/** A type as the element of an array type. */
function element(type: string): string {
  return /^[\w.]+$/.test(type) ? type : `(${type})`;
}

/** The error of an object without types, where somebody asks for them by hand. */
export function requireTypes(bytes: Uint8Array, name: string): void {
  const object = native().inspectObject(bytes, 'types');
  if (!('errno' in object) && object.types === undefined) {
    throw new XdpError('XDP_NO_BTF', `${name} has no BTF, so there are no types in it: compile it with -g`);
  }
}
