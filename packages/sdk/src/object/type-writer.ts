/**
 * BTF types in the words of TypeScript: what the codecs of the object room decode them to. Structs and enums become
 * declarations under their own names; everything else is written where it is used.
 */
import type { NativeType } from '../native.ts';
import { holdsAddress } from './address.ts';
import type { CodecTable } from './codec-table.ts';

type Aggregate = Extract<NativeType, { kind: 'struct' | 'union' }>;

/** Words that cannot be the name of a type. */
const reserved = new Set(
  `any bigint boolean break case catch class const continue debugger default delete do else enum export extends false
  finally for function if implements import in instanceof interface let never new null number object package private
  protected public return static string super switch symbol this throw true try type typeof undefined unknown var void
  while with yield AddressField Schema Uint8Array XdpMap XdpObjectFile`.split(/\s+/),
);

/** The kinds of address by their size. */
const families: ReadonlyMap<number, string> = new Map([
  [4, 'ipv4'],
  [6, 'mac'],
  [16, 'ipv6'],
]);

/** A name as the key of an object type. */
export function property(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

export class TypeWriter {
  /** Names of the package that the types use. */
  readonly imports = new Set<string>();
  readonly #table: CodecTable | undefined;
  readonly #names = new Map<NativeType, string>();
  readonly #taken = new Set<string>();
  readonly #declarations: string[] = [];

  constructor(table: CodecTable | undefined) {
    this.#table = table;
  }

  /** The declarations of the named types that were used, in the order of their first use. */
  get declarations(): readonly string[] {
    return this.#declarations;
  }

  import(name: string): string {
    this.imports.add(name);
    return name;
  }

  /** The type behind an id, as an expression. */
  type(id: number): string {
    const table = this.#table!;
    const resolved = table.resolve(id);
    const { type, typedefs } = resolved;
    const plain = this.#plain(type, typedefs[0], id);
    const size = table.codecOf(id).size;
    const family = families.get(size);
    // A char array is text already; an array of structs that happens to have the size is no address to anybody.
    const isText = plain === 'string' || plain.startsWith('readonly ');
    return family !== undefined && !isText && holdsAddress(size, resolved)
      ? `${this.import('AddressField')}<'${family}', ${plain}>`
      : plain;
  }

  #plain(type: NativeType, typedef: string | undefined, id: number): string {
    switch (type.kind) {
      case 'int':
        if ((type.encoding & 4) !== 0) return 'boolean';
        return type.size > 4 ? 'bigint' : 'number';
      case 'float':
        return 'number';
      case 'pointer':
        return 'bigint';
      case 'enum':
        return this.#enum(type, typedef);
      case 'array':
        return this.#array(type.type);
      case 'struct':
      case 'union':
        return this.#aggregate(type, typedef);
      default:
        throw new TypeError(`BTF type ${id} has no value`);
    }
  }

  #array(elementId: number): string {
    const { type } = this.#table!.resolve(elementId);
    if (type.kind === 'int' && type.size === 1) return type.name === 'char' ? 'string' : 'Uint8Array';
    const element = this.type(elementId);
    return `readonly ${/^[\w.]+$/.test(element) ? element : `(${element})`}[]`;
  }

  /** A value that is no enumerator is decoded to its number, which is `bigint` for 8 bytes. */
  #enum(type: Extract<NativeType, { kind: 'enum' }>, typedef: string | undefined): string {
    const number = type.size > 4 ? 'bigint' : 'number';
    const values = [...type.values.map(({ name }) => `'${name}'`), number];
    return this.#named(type, typedef, `enum ${type.name}`, (name) =>
      name === undefined ? values.join(' | ') : `export type ${name} =\n  | ${values.join('\n  | ')};`,
    );
  }

  #aggregate(type: Aggregate, typedef: string | undefined): string {
    return this.#named(type, typedef, `${type.kind} ${type.name}`, (name) => {
      const members = this.#members(type);
      if (name === undefined) return `{ ${members.join(' ')} }`;
      return [`export interface ${name} {`, ...members.map((member) => `  ${member}`), '}'].join('\n');
    });
  }

  /** Members of anonymous structs and unions belong to the type around them, as they do in the codec. */
  #members(type: Aggregate): string[] {
    return type.members.flatMap((member) => {
      const { type: inner } = this.#table!.resolve(member.type);
      if (member.name === '') {
        return inner.kind === 'struct' || inner.kind === 'union' ? this.#members(inner) : [];
      }
      const value = member.bitSize > 0 ? bitfield(inner, member.bitSize) : this.type(member.type);
      return [`readonly ${property(member.name)}: ${value};`];
    });
  }

  /** Declares a type that has a name, its own or a typedef's; `write` gives its text, without a name an expression. */
  #named(
    type: NativeType,
    typedef: string | undefined,
    c: string,
    write: (name: string | undefined) => string,
  ): string {
    const known = this.#names.get(type);
    if (known !== undefined) return known;
    const wanted = type.name || typedef;
    if (wanted === undefined) return write(undefined);
    const name = this.#unique(wanted);
    this.#names.set(type, name);
    // Its place is before the types that it uses, which are written while its own text is made.
    const place = this.#declarations.push('') - 1;
    this.#declarations[place] = `/** ${type.name === '' ? `typedef ${wanted}` : c} */\n${write(name)}`;
    return name;
  }

  /** C has name spaces of their own for structs, enums and typedefs; TypeScript has one. */
  #unique(wanted: string): string {
    let name = reserved.has(wanted) ? `${wanted}_` : wanted;
    while (this.#taken.has(name)) name += '_';
    this.#taken.add(name);
    return name;
  }
}

function bitfield(type: NativeType, bits: number): string {
  if (type.kind === 'int' && (type.encoding & 4) !== 0) return 'boolean';
  return bits <= 32 ? 'number' : 'bigint';
}
