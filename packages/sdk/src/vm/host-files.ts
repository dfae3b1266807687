/** The files of the host that a command needs in a guest without a shared root: programs, their libraries, a project. */
import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { XdpError } from '../errors.ts';
import type { CpioWriter } from './cpio.ts';
import { findProgram, requireTool, runTool } from './tools.ts';

export interface HostFile {
  readonly path: string;
  readonly kind: 'directory' | 'file' | 'link';
  readonly mode: number;
  readonly size: number;
}

/** Never of use in a guest, and often the largest. */
const skipped = new Set(['.git']);

function isElf(path: string): boolean {
  const head = Buffer.alloc(4);
  const fd = openSync(path, 'r');
  try {
    return readSync(fd, head, 0, 4, 0) === 4 && head.readUInt32BE(0) === 0x7f454c46;
  } finally {
    closeSync(fd);
  }
}

/** A set of files that is closed under parents and symbolic links: what a path needs to be found is in it. */
class FileSet {
  readonly files = new Map<string, HostFile>();
  readonly elf = new Set<string>();

  /** Adds the way to a path and what is there; with `deep`, all below it. */
  add(path: string, deep: boolean): void {
    const parts = resolve(path)
      .split('/')
      .filter((part) => part !== '');
    let at = '/';
    for (const [index, part] of parts.entries()) {
      at = join(at, part);
      const stat = lstatSync(at, { throwIfNoEntry: false });
      if (stat === undefined) return;
      if (stat.isSymbolicLink()) {
        this.put(at, 'link', 0o777, 0);
        this.add(resolve(dirname(at), readlinkSync(at), ...parts.slice(index + 1)), deep);
        return;
      }
      if (stat.isDirectory()) this.put(at, 'directory', stat.mode & 0o7777, 0);
      else if (stat.isFile()) this.addFile(at, stat.mode & 0o7777, stat.size);
    }
    if (deep) this.addBelow(at);
  }

  private addBelow(directory: string): void {
    if (!lstatSync(directory).isDirectory()) return;
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name);
      if (skipped.has(entry.name) || this.files.has(path)) continue;
      if (entry.isSymbolicLink()) {
        this.put(path, 'link', 0o777, 0);
        // A package manager's links lead out of node_modules; a dangling one is no fault of ours.
        if (existsSync(path)) this.add(realpathSync(path), true);
      } else if (entry.isDirectory()) {
        this.put(path, 'directory', 0o755, 0);
        this.addBelow(path);
      } else if (entry.isFile()) {
        const stat = lstatSync(path);
        this.addFile(path, stat.mode & 0o7777, stat.size);
      }
    }
  }

  private addFile(path: string, mode: number, size: number): void {
    this.put(path, 'file', mode, size);
    if ((mode & 0o111) !== 0 || /\.(node|so[.\d]*)$/.test(path)) if (isElf(path)) this.elf.add(path);
  }

  private put(path: string, kind: HostFile['kind'], mode: number, size: number): void {
    if (!this.files.has(path)) this.files.set(path, { path, kind, mode, size });
  }
}

/** Adds what the programs among the files are linked to. */
async function addLibraries(set: FileSet): Promise<void> {
  const asked = new Set<string>();
  for (;;) {
    const wanted = [...set.elf].filter((path) => !asked.has(path));
    if (wanted.length === 0) return;
    for (const path of wanted) {
      asked.add(path);
      // A static program, or one for another machine, makes ldd fail: it needs nothing then.
      const text = await runTool(requireTool('ldd'), [path]).catch(() => Buffer.alloc(0));
      for (const match of text.toString().matchAll(/(?:=> )?(\/\S+) \(0x/g)) set.add(match[1] ?? '', false);
    }
  }
}

/** The nearest directory above that holds a package.json, if any: a program of an npm package needs all of it. */
function packageOf(path: string): string | undefined {
  for (let at = dirname(path); at !== '/'; at = dirname(at))
    if (existsSync(join(at, 'package.json'))) return at;
  return undefined;
}

/** The outermost directory above `cwd` (or itself) that looks like a project's. */
export function projectRoot(cwd: string): string {
  let found = cwd;
  for (let at = cwd; at !== '/'; at = dirname(at)) {
    const marks = ['package.json', 'pnpm-workspace.yaml', '.git'];
    if (marks.some((mark) => existsSync(join(at, mark)))) found = at;
  }
  return found;
}

/** Everything that `command` needs: its program, node and sh, their libraries, the project, and what was named. */
export async function collectHostFiles(
  command: readonly string[],
  cwd: string,
  searchPath: string,
  extra: readonly string[],
): Promise<HostFile[]> {
  const set = new FileSet();
  const [name = ''] = command;
  const program = name.includes('/') ? resolve(cwd, name) : findProgram(name, searchPath);
  for (const path of ['/bin/sh', '/usr/bin/env', '/etc/passwd', '/etc/group', '/etc/nsswitch.conf'])
    set.add(path, false);
  set.add(process.execPath, false);
  set.add(findProgram('node', searchPath) ?? process.execPath, false);
  if (program !== undefined) {
    set.add(program, false);
    const real = realpathSync(program);
    const owner = real === program || isElf(real) ? undefined : packageOf(real);
    if (owner !== undefined) set.add(owner, true);
  }
  set.add(projectRoot(cwd), true);
  for (const path of extra) {
    if (!existsSync(path)) throw new XdpError('XDP_INVALID_ARGUMENT', `there is no ${path} to take along`);
    set.add(path, true);
  }
  await addLibraries(set);
  // Parents before children.
  return [...set.files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Writes the files into an archive at their own paths. */
export function writeHostFiles(
  archive: CpioWriter,
  files: readonly HostFile[],
  sink: (bytes: Uint8Array) => void,
): void {
  const chunk = Buffer.alloc(1 << 20);
  for (const { path, kind, mode, size } of files) {
    if (kind === 'directory') archive.directory(path, mode);
    else if (kind === 'link') archive.symlink(path, readlinkSync(path));
    else {
      archive.beginFile(path, size, mode);
      const fd = openSync(path, 'r');
      try {
        for (let left = size; left > 0; ) {
          const read = readSync(fd, chunk, 0, Math.min(chunk.length, left), null);
          // Truncated since it was listed: the size in the header stands.
          if (read === 0) chunk.fill(0);
          const length = read === 0 ? Math.min(chunk.length, left) : read;
          sink(chunk.subarray(0, length));
          left -= length;
        }
      } finally {
        closeSync(fd);
      }
      archive.endOfFile(size);
    }
  }
}
