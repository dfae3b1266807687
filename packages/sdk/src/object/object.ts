/** XdpObject: a compiled BPF object, loaded into the kernel. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeValue, invalidArgument, XdpError } from '../errors.ts';
import { systemError } from '../kernel/index.ts';
import { type NativeHandle, type NativeObject, native } from '../native.ts';
import { mapTypeNumber } from './bpf-constants.ts';
import type { BpfValue } from './codec.ts';
import { CodecTable } from './codec-table.ts';
import { loadError, unsupportedFrags } from './load-error.ts';
import { checkLoadOptions, type LoadOptions, loadConfig } from './load-options.ts';
import { XdpMap } from './map.ts';
import { defineMap } from './map-definition.ts';
import { closeProgram, XdpProgram } from './program.ts';
import type { ObjectSchema, UntypedSchema } from './schema.ts';
import { type ObjectSnapshot, restoreSnapshot, type Section, takeSnapshot } from './snapshot.ts';
import { findVariables, initialValues, variableAccessors } from './variables.ts';

/** What a loaded object is put together from. */
interface ObjectParts {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly programs: Record<string, XdpProgram>;
  readonly maps: Record<string, XdpMap>;
  readonly variables: Record<string, BpfValue>;
  /** The maps that hold the variables, by name. */
  readonly internals: ReadonlyMap<string, NativeHandle>;
  /** Those of them that programs can write to. */
  readonly sections: readonly Section[];
  readonly log: string | undefined;
}

let internalsOf: <S extends ObjectSchema>(object: XdpObject<S>) => ReadonlyMap<string, NativeHandle>;

/** The map that holds the variables of a section (`.bss`), for rooms that share memory with a program of their own. */
export function sectionHandle<S extends ObjectSchema>(object: XdpObject<S>, section: string): NativeHandle {
  for (const [name, handle] of internalsOf(object)) if (name.endsWith(section)) return handle;
  throw new XdpError('XDP_NOT_FOUND', `${object.name} has no variables in ${section}`);
}

/**
 * A BPF object: its programs, maps and global variables by name.
 *
 * Loading copies the options and shares nothing with other loads of the same file. Nothing is pinned. Close it with
 * `close()` or `using`; the garbage collector closes it too, but later.
 *
 * @example
 * using lb = XdpObject.load('lb.bpf.o', { variables: { backend_count: 32 } });
 * lb.maps.backends.set(0, { address: '10.0.0.1' });
 */
export class XdpObject<S extends ObjectSchema = UntypedSchema> {
  /** A name for messages: the file's, unless one was given. */
  readonly name: string;
  /** Programs by name. Those that were not loaded (autoload off) are here too, but cannot run. */
  readonly programs: Readonly<Record<S['programs'], XdpProgram>>;
  /** Maps by name, without those that hold the variables. */
  readonly maps: { readonly [N in keyof S['maps']]: XdpMap<S['maps'][N]['key'], S['maps'][N]['value']> };
  /** Global variables by name; reading and writing goes straight to the program's memory. */
  readonly variables: { -readonly [N in keyof S['variables']]: S['variables'][N] };
  /** SHA-256 of the object's bytes, in hex: to see that the tested object is the shipped one. */
  readonly sha256: string;
  /** The compiler that the debug information names, as `clang version 14.0.6`, or undefined. */
  readonly compiler: string | undefined;
  /** The verifier's log, when `verifierLogLevel` asked for it. */
  readonly verifierLog: string | undefined;
  readonly #internals: ReadonlyMap<string, NativeHandle>;
  readonly #sections: readonly Section[];
  #closed = false;

  static {
    internalsOf = (object) => object.#internals;
  }

  /** @internal Objects are made by `load`. */
  constructor(parts: ObjectParts) {
    this.name = parts.name;
    this.programs = Object.freeze(parts.programs) as XdpObject<S>['programs'];
    this.maps = Object.freeze(parts.maps) as unknown as XdpObject<S>['maps'];
    this.variables = parts.variables as XdpObject<S>['variables'];
    this.#internals = parts.internals;
    this.#sections = parts.sections;
    this.sha256 = createHash('sha256').update(parts.bytes).digest('hex');
    this.compiler = findCompiler(parts.bytes);
    this.verifierLog = parts.log;
  }

  /**
   * Loads a compiled object into the kernel.
   *
   * @param source the path of an ELF file made by `clang -target bpf -g`, or its bytes
   * @throws XdpError `XDP_OBJECT_INVALID`, `XDP_LOAD_FAILED` (with the whole verifier log in `log`),
   *   `XDP_NOT_PERMITTED`, `XDP_NOT_FOUND` and `XDP_VALUE_INVALID` (a name or value in the options)
   */
  static load<S extends ObjectSchema = UntypedSchema>(
    source: string | URL | Uint8Array,
    options?: LoadOptions<S>,
  ): XdpObject<S> {
    const checked = checkLoadOptions(options as LoadOptions | undefined);
    const { bytes, name: fileName } = readSource(source);
    const name = checked.name ?? fileName;
    const kernelName = name.replace(/\..*$/, '').replaceAll(/\W/g, '_').slice(0, 15) || 'object';
    const spec = native().inspectObject(bytes, kernelName);
    if ('errno' in spec) throw loadError(name, spec);
    return load<S>(name, kernelName, bytes, spec, checked);
  }

  /** The program of that name. Unlike `programs[name]` it throws `XDP_NOT_FOUND`, with the names that there are. */
  program(name: S['programs']): XdpProgram {
    return required(this.name, 'program', name, this.programs);
  }

  /** The map of that name. Unlike `maps[name]` it throws `XDP_NOT_FOUND`, with the names that there are. */
  map<N extends keyof S['maps'] & string>(name: N): XdpMap<S['maps'][N]['key'], S['maps'][N]['value']> {
    return required(this.name, 'map', name, this.maps) as XdpMap<S['maps'][N]['key'], S['maps'][N]['value']>;
  }

  /**
   * What the maps and variables hold at this moment, to be put back by {@link restore}. Take it when no packet runs.
   * @throws XdpError `XDP_CLOSED`, `XDP_MAP_CHANGED`
   */
  snapshot(): ObjectSnapshot {
    this.#requireOpen('snapshot');
    const maps = Object.values<XdpMap>(this.maps as unknown as Record<string, XdpMap>);
    return takeSnapshot(this, maps, this.#sections);
  }

  /**
   * Puts the maps and variables back to what they were at a {@link snapshot} of this object. The order of use that an LRU
   * map keeps is not restored; see {@link ObjectSnapshot} for the kinds of map.
   * @throws XdpError `XDP_CLOSED`, `XDP_INVALID_ARGUMENT` for a snapshot of another object
   */
  restore(snapshot: ObjectSnapshot): void {
    this.#requireOpen('restore');
    restoreSnapshot(this, snapshot);
  }

  #requireOpen(operation: string): void {
    if (this.#closed) throw new XdpError('XDP_CLOSED', `${operation}: the object ${this.name} was closed`);
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Closes all descriptors. Runs that are under way finish on descriptors of their own. Closing twice is fine. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const program of Object.values<XdpProgram>(this.programs)) closeProgram(program);
    for (const map of Object.values<XdpMap>(this.maps as unknown as Record<string, XdpMap>)) map.close();
    for (const handle of this.#internals.values()) native().closeHandle(handle);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

function load<S extends ObjectSchema>(
  name: string,
  kernelName: string,
  bytes: Uint8Array,
  spec: NativeObject,
  options: LoadOptions,
): XdpObject<S> {
  const types = spec.types === undefined ? undefined : new CodecTable(spec.types);
  const variables = findVariables(spec.maps, types);
  const contents = initialValues(variables, options.variables ?? {}, name);
  const templates = new Map<string, NativeHandle>();
  try {
    const descriptors = new Map<string, number>();
    const config = loadConfig(name, spec, options, contents, descriptors);
    for (const [map, inner] of Object.entries(options.innerMaps ?? {})) {
      const handle = native().mapCreate({ ...innerMap(map, inner), name: map.slice(0, 15) });
      if (typeof handle === 'number')
        throw systemError(`${name}: making the inner map of ${map}`, 'BPF_MAP_CREATE', -handle);
      templates.set(map, handle);
      descriptors.set(map, native().handleNumber(handle));
    }
    const withInner = templates.size === 0 ? config : loadConfig(name, spec, options, contents, descriptors);
    const loaded = native().loadObject(bytes, kernelName, withInner);
    if ('errno' in loaded) throw unsupportedFrags(name, loaded, spec, withInner) ?? loadError(name, loaded);

    const cpus = native().possibleCpus();
    const mapNames = new Map(Object.entries(loaded.maps).map(([map, entry]) => [entry.id, map]));
    const programs = spec.programs.map((program, i) => {
      const configured = withInner.programs[i]!;
      const entry = loaded.programs[program.name];
      return new XdpProgram({
        native: {
          ...program,
          type: configured.type ?? program.type,
          flags: configured.flags ?? program.flags,
          expectedAttachType: configured.expectedAttachType ?? program.expectedAttachType,
        },
        object: name,
        handle: entry?.handle,
        id: entry?.id,
        mayRedirect: entry?.mayRedirect ?? false,
        mapNames,
      });
    });
    const maps: Record<string, XdpMap> = {};
    const internal = new Map<string, NativeHandle>();
    const sections: Section[] = [];
    for (const map of spec.maps) {
      const entry = loaded.maps[map.name];
      if (entry === undefined) continue;
      if (map.internal) {
        internal.set(map.name, entry.handle);
        if (/\.(?:data|bss)\b/.test(map.name)) {
          sections.push({ name: map.name, handle: entry.handle, size: map.valueSize });
        }
      } else {
        const inner = options.innerMaps?.[map.name];
        const definition = inner === undefined ? map : { ...map, inner: innerMap(map.name, inner) };
        maps[map.name] = new XdpMap(defineMap(definition, types, cpus, entry.maxEntries), entry.handle);
      }
    }
    const handleOf = (map: string): NativeHandle => {
      const handle = internal.get(map);
      if (handle === undefined || native().handleNumber(handle) < 0) {
        throw new XdpError('XDP_CLOSED', `the variables of ${name}: the object was closed`);
      }
      return handle;
    };
    return new XdpObject<S>({
      name,
      bytes,
      programs: Object.fromEntries(programs.map((program) => [program.name, program])),
      maps,
      variables: variableAccessors(variables, handleOf),
      internals: internal,
      sections,
      log: loaded.log,
    });
  } finally {
    for (const handle of templates.values()) native().closeHandle(handle);
  }
}

function innerMap(name: string, inner: NonNullable<LoadOptions['innerMaps']>[string]) {
  return {
    name,
    type: mapTypeNumber(inner.type),
    keySize: inner.keySizeBytes,
    valueSize: inner.valueSizeBytes,
    maxEntries: inner.maxEntries,
    flags: inner.flags ?? 0,
    keyType: 0,
    valueType: 0,
    internal: false,
    pinByName: false,
  };
}

function readSource(source: string | URL | Uint8Array): { bytes: Uint8Array; name: string } {
  if (source instanceof Uint8Array) return { bytes: source, name: 'object' };
  if (!(source instanceof URL) && (typeof source !== 'string' || source === '')) {
    throw invalidArgument(
      `XdpObject.load: expected a path or the bytes of an object file, got ${describeValue(source)}`,
    );
  }
  const path = source instanceof URL ? fileURLToPath(source) : source;
  try {
    return { bytes: readFileSync(path), name: basename(path) };
  } catch (cause) {
    throw new XdpError(
      'XDP_OBJECT_INVALID',
      `cannot read the object file ${path}: ${(cause as Error).message}`,
      { cause },
    );
  }
}

function required<T>(object: string, what: string, name: string, all: Readonly<Record<string, T>>): T {
  if (typeof name === 'string' && Object.hasOwn(all, name)) return all[name]!;
  const names = Object.keys(all).join(', ') || 'none';
  throw new XdpError('XDP_NOT_FOUND', `${object} has no ${what} ${describeValue(name)}; it has ${names}`);
}

/** DWARF names its producer in a string table: good enough to read it without a DWARF parser. */
function findCompiler(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  return /(?:Debian |Ubuntu )?clang version [\w.~+-]+/.exec(text)?.[0];
}
