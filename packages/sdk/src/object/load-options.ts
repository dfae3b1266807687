/** Options of XdpObject.load, checked against what the object holds and turned into what the addon takes. */
import { describeValue, expectInteger, expectOptions, invalidArgument, XdpError } from '../errors.ts';
import type { NativeLoadConfig, NativeObject, NativeProgram } from '../native.ts';
import {
  attachTypes,
  BPF_F_XDP_HAS_FRAGS,
  BPF_PROG_TYPE_XDP,
  isMapOfMaps,
  type MapType,
  mapTypeName,
  mapTypeNumber,
} from './bpf-constants.ts';
import type { BpfValue } from './codec.ts';
import { isPath, MAX_PATH_BYTES } from './path.ts';
import type { ObjectSchema, UntypedSchema } from './schema.ts';
import type { BpfInput } from './value-types.ts';

/** How one program is loaded. */
export interface ProgramOptions {
  /** Whether to load it at all; false leaves it out (default: as its section says, SEC("?xdp") is off). */
  readonly autoload?: boolean;
  /** Says that a program in a section which libbpf does not know, such as SEC("xdp-root"), is an XDP program. */
  readonly type?: 'xdp';
  /** True declares that it copes with packets in fragments, as SEC("xdp.frags") does; kernel 5.18. */
  readonly frags?: boolean;
  /** `none` loads it as loaders before libbpf 0.2 do; a prog array holds only programs of equal attach type. */
  readonly expectedAttachType?: 'xdp' | 'none';
}

/** The inner maps of a map of maps whose object does not define them. */
export interface InnerMapOptions {
  readonly type: MapType;
  readonly keySizeBytes: number;
  readonly valueSizeBytes: number;
  readonly maxEntries: number;
  /** BPF_F_... of the map, default 0. */
  readonly flags?: number;
}

/** Of a variable that nothing is known of, the check is at the load. */
type VariableInput<V> = [BpfValue] extends [V] ? unknown : BpfInput<V>;

/** Options of {@link XdpObject.load}. All are copied: objects loaded with the same options share nothing. */
export interface LoadOptions<S extends ObjectSchema = UntypedSchema> {
  /** A name for messages and, cut to 15 characters, for the kernel's names of .rodata, .data and .bss. */
  readonly name?: string;
  /** Values of global variables before the load, by name. `const volatile` ones can be set only here. */
  readonly variables?: { readonly [N in keyof S['variables']]?: VariableInput<S['variables'][N]> };
  /** Sizes of maps, by name, in place of those compiled in. */
  readonly maxEntries?: { readonly [N in keyof S['maps']]?: number };
  readonly programs?: { readonly [N in S['programs']]?: ProgramOptions };
  readonly innerMaps?: Readonly<Record<string, InnerMapOptions>>;
  /** A directory in a bpf file system for maps that are declared LIBBPF_PIN_BY_NAME. Without it nothing is pinned. */
  readonly pinRoot?: string;
  /** log_level of the verifier: 1 gives its log also for programs that load, 2 with every instruction, 4 statistics. */
  readonly verifierLogLevel?: number;
}

const known = [
  'name',
  'variables',
  'maxEntries',
  'programs',
  'innerMaps',
  'pinRoot',
  'verifierLogLevel',
] as const;
const knownProgram = ['autoload', 'type', 'frags', 'expectedAttachType'] as const;
const knownInner = ['type', 'keySizeBytes', 'valueSizeBytes', 'maxEntries', 'flags'] as const;

/** Checks what can be checked without the object. */
export function checkLoadOptions(options: LoadOptions | undefined): LoadOptions {
  const checked = expectOptions('XdpObject.load', options, known);
  for (const group of ['variables', 'maxEntries', 'programs', 'innerMaps'] as const) {
    const value: unknown = checked[group];
    if (value !== undefined && (value === null || typeof value !== 'object' || Array.isArray(value))) {
      throw invalidArgument(
        `XdpObject.load: ${group} must be an object by name, got ${describeValue(value)}`,
      );
    }
  }
  const { name, pinRoot } = checked as { name?: unknown; pinRoot?: unknown };
  if (name !== undefined && (typeof name !== 'string' || name === '' || name.length > 255)) {
    throw invalidArgument(
      `XdpObject.load: name must be a string of 1 to 255 characters, got ${describeValue(name)}`,
    );
  }
  if (pinRoot !== undefined && !isPath(pinRoot)) {
    throw invalidArgument(
      `XdpObject.load: pinRoot must be a path of 1 to ${MAX_PATH_BYTES} bytes, got ${describeValue(pinRoot)}`,
    );
  }
  if (checked.verifierLogLevel !== undefined) {
    expectInteger('XdpObject.load: verifierLogLevel', checked.verifierLogLevel, 0, 15);
  }
  for (const [map, entries] of Object.entries(checked.maxEntries ?? {})) {
    expectInteger(`XdpObject.load: maxEntries.${map}`, entries, 1, 0xffff_ffff);
  }
  for (const [map, inner] of Object.entries(checked.innerMaps ?? {})) {
    const where = `XdpObject.load: innerMaps.${map}`;
    expectOptions(where, inner, knownInner);
    if (mapTypeNumber(inner.type) <= 0) {
      throw invalidArgument(`${where}.type must be the name of a map type, got ${describeValue(inner.type)}`);
    }
    expectInteger(`${where}.keySizeBytes`, inner.keySizeBytes, 0, 512);
    expectInteger(`${where}.valueSizeBytes`, inner.valueSizeBytes, 0, 1 << 30);
    expectInteger(`${where}.maxEntries`, inner.maxEntries, 1, 0xffff_ffff);
    if (inner.flags !== undefined) expectInteger(`${where}.flags`, inner.flags, 0, 0xffff_ffff);
  }
  return checked;
}

/** Checks the options against the object and makes the addon's configuration of them. */
export function loadConfig(
  object: string,
  spec: NativeObject,
  options: LoadOptions,
  contents: ReadonlyMap<string, Uint8Array>,
  innerDescriptors: ReadonlyMap<string, number>,
): NativeLoadConfig {
  const programs = Object.entries(options.programs ?? {});
  for (const [name] of programs) requireName(object, 'program', name, spec.programs);
  // The maps behind variables have the one size that the compiler gave them.
  const maps = spec.maps.filter((map) => !map.internal);
  for (const name of Object.keys(options.maxEntries ?? {})) requireName(object, 'map', name, maps);
  for (const name of Object.keys(options.innerMaps ?? {})) {
    requireName(object, 'map', name, maps);
    const { type } = maps.find((map) => map.name === name)!;
    if (!isMapOfMaps(mapTypeName(type))) {
      throw invalidArgument(
        `XdpObject.load: innerMaps.${name}: map ${name} of ${object} is of type ${mapTypeName(type)}, it holds no maps`,
      );
    }
  }
  return {
    programs: spec.programs.map((program) =>
      programConfig(object, program, options.programs?.[program.name]),
    ),
    maps: spec.maps.map((map) => ({
      name: map.name,
      ...defined('maxEntries', options.maxEntries?.[map.name]),
      ...defined('initialValue', contents.get(map.name)),
      ...defined('innerFd', innerDescriptors.get(map.name)),
    })),
    ...defined('logLevel', options.verifierLogLevel),
    ...defined('pinRoot', options.pinRoot),
  };
}

function programConfig(object: string, program: NativeProgram, given: ProgramOptions | undefined) {
  const where = `XdpObject.load: programs.${program.name}`;
  const options = expectOptions(where, given, knownProgram);
  for (const key of ['autoload', 'frags'] as const) {
    if (options[key] !== undefined && typeof options[key] !== 'boolean') {
      throw invalidArgument(`${where}.${key} must be true or false, got ${describeValue(options[key])}`);
    }
  }
  // libbpf sets the flag by the section, whatever it is told.
  if (options.frags === false && (program.flags & BPF_F_XDP_HAS_FRAGS) !== 0) {
    throw invalidArgument(
      `${where}.frags cannot be false: the program is in section ${JSON.stringify(program.section)}, which declares it; compile it in SEC("xdp")`,
    );
  }
  if (options.type !== undefined && options.type !== 'xdp') {
    throw invalidArgument(`${where}.type must be 'xdp', got ${describeValue(options.type)}`);
  }
  const attach = options.expectedAttachType;
  if (attach !== undefined && attach !== 'xdp' && attach !== 'none') {
    throw invalidArgument(
      `${where}.expectedAttachType must be 'xdp' or 'none', got ${describeValue(attach)}`,
    );
  }
  const autoload = options.autoload ?? program.autoload;
  if (program.type === 0 && options.type === undefined && autoload) {
    throw invalidArgument(
      `${object}: program ${program.name} is in section ${JSON.stringify(program.section)}, whose type libbpf does not know: load it with programs: { ${program.name}: { type: 'xdp' } }, or leave it out with autoload: false`,
    );
  }
  const becomesXdp = options.type === 'xdp' && program.type !== BPF_PROG_TYPE_XDP;
  return {
    name: program.name,
    autoload: autoload ? 1 : 0,
    ...(becomesXdp ? { type: BPF_PROG_TYPE_XDP, expectedAttachType: attachTypes.xdp } : {}),
    ...defined('expectedAttachType', attach === undefined ? undefined : attachTypes[attach]),
    ...defined('flags', options.frags === true ? program.flags | BPF_F_XDP_HAS_FRAGS : undefined),
  };
}

function requireName(
  object: string,
  what: 'program' | 'map',
  name: string,
  known: readonly { name: string }[],
): void {
  if (known.some((one) => one.name === name)) return;
  const names = known.map((one) => one.name).join(', ');
  throw new XdpError(
    'XDP_NOT_FOUND',
    `${object} has no ${what} ${JSON.stringify(name)}; it has ${names || 'none'}`,
  );
}

function defined<K extends string, T>(key: K, value: T | undefined): { [P in K]?: T } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: T };
}
