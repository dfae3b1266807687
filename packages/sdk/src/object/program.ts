/** A program of a loaded object. */
import { XdpError } from '../errors.ts';
import { type NativeHandle, type NativeProgram, native } from '../native.ts';
import { attachTypes, BPF_F_XDP_HAS_FRAGS, BPF_PROG_TYPE_XDP } from './bpf-constants.ts';

/** What the object room knows of a program once it is loaded. */
export interface ProgramDefinition {
  readonly native: NativeProgram;
  readonly object: string;
  /** Undefined when the program was not loaded. */
  readonly handle: NativeHandle | undefined;
  readonly id: number | undefined;
  readonly mayRedirect: boolean;
  /** The names of the object's maps by their ids in the kernel. */
  readonly mapNames: ReadonlyMap<number, string>;
}

let mapNamesOf: (program: XdpProgram) => ReadonlyMap<number, string>;
let handleOf: (program: XdpProgram) => NativeHandle | undefined;

/**
 * A program of an {@link XdpObject}, to be given to `runXdp`, `runMany` or `benchXdp`, or put into a prog array.
 * It lives as long as its object.
 */
export class XdpProgram {
  readonly name: string;
  /** The ELF section that it was compiled into. */
  readonly section: string;
  /** The kernel's id (`bpftool prog show id ...`), undefined when it was not loaded. */
  readonly id: number | undefined;
  /** The number of instructions before the verifier's rewriting. */
  readonly instructions: number;
  /** Whether this is an XDP program at all. */
  readonly isXdp: boolean;
  /** Whether it declares that it copes with packets in fragments: SEC("xdp.frags"), kernel 5.18. */
  readonly frags: boolean;
  /** Where it may be attached; the kernel test-runs neither devmap nor cpumap programs. */
  readonly attachType: keyof typeof attachTypes | 'other';
  /** The name of the object that it belongs to. */
  readonly object: string;
  /** Whether its code calls bpf_redirect() or bpf_redirect_map(), or a tail call behind which one may be. */
  readonly mayRedirect: boolean;
  readonly #handle: NativeHandle | undefined;
  readonly #mapNames: ReadonlyMap<number, string>;

  static {
    handleOf = (program) => program.#handle;
    mapNamesOf = (program) => program.#mapNames;
  }

  /** @internal Programs are made by loading an object. */
  constructor(definition: ProgramDefinition) {
    const { native: program } = definition;
    this.name = program.name;
    this.section = program.section;
    this.id = definition.id;
    this.instructions = program.instructions;
    this.isXdp = program.type === BPF_PROG_TYPE_XDP;
    this.frags = (program.flags & BPF_F_XDP_HAS_FRAGS) !== 0;
    const names = Object.keys(attachTypes) as (keyof typeof attachTypes)[];
    this.attachType = names.find((name) => attachTypes[name] === program.expectedAttachType) ?? 'other';
    this.object = definition.object;
    this.mayRedirect = definition.mayRedirect;
    this.#handle = definition.handle;
    this.#mapNames = definition.mapNames;
  }

  /** Whether the program was loaded and its object is still open. */
  get isOpen(): boolean {
    return this.#handle !== undefined && native().handleNumber(this.#handle) >= 0;
  }
}

/**
 * The descriptor of a program, for the other rooms.
 * @throws XdpError `XDP_NOT_LOADED`, `XDP_CLOSED`
 */
export function programHandle(program: XdpProgram): NativeHandle {
  const handle = handleOf(program);
  if (handle === undefined) {
    throw new XdpError(
      'XDP_NOT_LOADED',
      `program ${program.name} of ${program.object} was not loaded: its autoload is off`,
    );
  }
  if (native().handleNumber(handle) < 0) {
    throw new XdpError('XDP_CLOSED', `program ${program.name}: its object ${program.object} was closed`);
  }
  return handle;
}

/** The name that a map with this id in the kernel has in the program's object; undefined for maps of others. */
export function mapName(program: XdpProgram, id: number): string | undefined {
  return mapNamesOf(program).get(id);
}

/** Closes a program; its object does this. */
export function closeProgram(program: XdpProgram): void {
  const handle = handleOf(program);
  if (handle !== undefined) native().closeHandle(handle);
}
