/** Kernel modules: where they are, what they need, in which order they load. No depmod and no modprobe needed. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { XdpError } from '../errors.ts';
import { requireTool, runTool } from './tools.ts';

/** A module ready for init_module(2). */
export interface LoadableModule {
  readonly name: string;
  readonly data: Uint8Array;
}

/** All modules below one lib/modules/<release>. */
export interface ModuleIndex {
  /** File of each module, by name. */
  readonly files: ReadonlyMap<string, string>;
  readonly builtIn: ReadonlySet<string>;
}

/** A module's name as the kernel writes it: `-` and `_` are the same, and the kernel prefers `_`. */
function moduleName(file: string): string {
  return basename(file)
    .replace(/\.ko(\.\w+)?$/, '')
    .replaceAll('-', '_');
}

/** Reads a directory lib/modules/<release>; a missing one has no modules. */
export function indexModules(directory: string | undefined): ModuleIndex {
  const files = new Map<string, string>();
  const builtIn = new Set<string>();
  if (directory === undefined || !existsSync(directory)) return { files, builtIn };
  for (const entry of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    if (/\.ko(\.xz|\.zst|\.gz)?$/.test(entry)) files.set(moduleName(entry), join(directory, entry));
  }
  const list = join(directory, 'modules.builtin');
  if (existsSync(list)) {
    for (const line of readFileSync(list, 'utf8').split('\n')) if (line !== '') builtIn.add(moduleName(line));
  }
  return { files, builtIn };
}

/** The `key=value` strings of a module's .modinfo section. */
export function readModinfo(module: Uint8Array): Map<string, string[]> {
  const elf = Buffer.from(module.buffer, module.byteOffset, module.byteLength);
  const info = new Map<string, string[]>();
  const isElf64 = elf.length >= 64 && elf.readUInt32BE(0) === 0x7f454c46 && elf[4] === 2 && elf[5] === 1;
  if (!isElf64) throw new XdpError('XDP_OBJECT_INVALID', 'a kernel module must be a 64-bit ELF file');
  const table = Number(elf.readBigUInt64LE(0x28));
  const entrySize = elf.readUInt16LE(0x3a);
  const count = elf.readUInt16LE(0x3c);
  const section = (index: number): { name: number; offset: number; size: number } => {
    const at = table + index * entrySize;
    return {
      name: elf.readUInt32LE(at),
      offset: Number(elf.readBigUInt64LE(at + 24)),
      size: Number(elf.readBigUInt64LE(at + 32)),
    };
  };
  const names = section(elf.readUInt16LE(0x3e));
  for (let i = 0; i < count; i++) {
    const { name, offset, size } = section(i);
    const start = names.offset + name;
    if (elf.toString('latin1', start, start + 9) !== '.modinfo\0') continue;
    for (const entry of elf.toString('latin1', offset, offset + size).split('\0')) {
      const equals = entry.indexOf('=');
      if (equals <= 0) continue;
      const key = entry.slice(0, equals);
      info.set(key, [...(info.get(key) ?? []), entry.slice(equals + 1)]);
    }
  }
  return info;
}

async function readModule(file: string): Promise<Uint8Array> {
  if (file.endsWith('.xz')) return runTool(requireTool('xz'), ['-dc', file]);
  if (file.endsWith('.zst')) return runTool(requireTool('zstd'), ['-dqc', file]);
  if (file.endsWith('.gz')) return (await import('node:zlib')).gunzipSync(readFileSync(file));
  return readFileSync(file);
}

/** The modules asked for and all that they depend on, each after what it needs; built-in ones need no loading. */
export async function modulesInOrder(
  index: ModuleIndex,
  wanted: readonly string[],
  kernel: string,
): Promise<LoadableModule[]> {
  const ordered: LoadableModule[] = [];
  const seen = new Set<string>();
  const add = async (asked: string, neededBy: string | undefined): Promise<void> => {
    const name = asked.replaceAll('-', '_');
    if (seen.has(name) || index.builtIn.has(name)) return;
    seen.add(name);
    const file = index.files.get(name);
    if (file === undefined) {
      const why = neededBy === undefined ? '' : `, which ${neededBy} needs`;
      throw new XdpError('XDP_FEATURE_UNSUPPORTED', `kernel ${kernel} has no module ${asked}${why}`);
    }
    const data = await readModule(file);
    for (const list of readModinfo(data).get('depends') ?? []) {
      for (const dependency of list.split(',')) if (dependency !== '') await add(dependency, name);
    }
    ordered.push({ name, data });
  };
  for (const name of wanted) await add(name, undefined);
  return ordered;
}

/** Does the kernel have it, built in or as a module? */
export function hasModule(index: ModuleIndex, name: string): boolean {
  return index.files.has(name) || index.builtIn.has(name);
}
