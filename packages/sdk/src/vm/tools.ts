/** The programs of the host that this room needs: where they are, and which package brings a missing one. */
import { execFile } from 'node:child_process';
import { accessSync, closeSync, constants, openSync, readSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { XdpError } from '../errors.ts';

/** Debian's package for each program. */
const packages = {
  'qemu-system-x86_64': 'qemu-system-x86',
  busybox: 'busybox-static',
  xz: 'xz-utils',
  zstd: 'zstd',
  'apt-get': 'apt',
  'apt-cache': 'apt',
  'dpkg-deb': 'dpkg',
  flock: 'util-linux',
  setpriv: 'util-linux',
  unshare: 'util-linux',
  virtiofsd: 'virtiofsd',
  ldd: 'libc-bin',
} as const;

export type ToolName = keyof typeof packages;

/** Where distributions put programs that no ordinary user's PATH has. */
const extraDirectories = ['/usr/sbin', '/sbin', '/usr/libexec', '/usr/lib/qemu'];

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The path of a program, or undefined. */
export function findProgram(name: string, path = process.env.PATH ?? ''): string | undefined {
  return [...path.split(delimiter), ...extraDirectories]
    .filter((directory) => directory !== '')
    .map((directory) => join(directory, name))
    .find(isExecutable);
}

/** The path of a program that is needed. */
export function requireTool(name: ToolName): string {
  const found = findProgram(name);
  if (found !== undefined) return found;
  throw new XdpError(
    'XDP_TOOL_MISSING',
    `${name} is not installed, and other kernels need it; on Debian: apt-get install ${packages[name]}`,
  );
}

/** Is it an ELF file without an interpreter (PT_INTERP), so that it runs in a machine that has no libraries? */
export function isStaticElf(path: string): boolean {
  const head = Buffer.alloc(4096);
  const fd = openSync(path, 'r');
  try {
    readSync(fd, head, 0, head.length, 0);
  } finally {
    closeSync(fd);
  }
  // 64 bits, little endian: all hosts this room runs on.
  if (head.readUInt32BE(0) !== 0x7f454c46 || head[4] !== 2 || head[5] !== 1) return false;
  const offset = Number(head.readBigUInt64LE(32));
  const size = head.readUInt16LE(54);
  const count = head.readUInt16LE(56);
  const PT_INTERP = 3;
  for (let i = 0; i < count; i++) {
    const at = offset + i * size;
    if (at + 4 > head.length) break;
    if (head.readUInt32LE(at) === PT_INTERP) return false;
  }
  return true;
}

/** A busybox that runs without shared libraries: the guest's first userland. */
export function requireBusybox(): string {
  const path = requireTool('busybox');
  if (isStaticElf(path)) return path;
  throw new XdpError(
    'XDP_TOOL_MISSING',
    `${path} needs shared libraries, and the guest starts without any; on Debian: apt-get install busybox-static`,
  );
}

export interface ToolRun {
  readonly input?: Uint8Array;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Runs a program to its end and gives what it wrote; its last words are in the error when it fails. */
export function runTool(program: string, args: readonly string[], run: ToolRun = {}): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      args,
      {
        encoding: 'buffer',
        maxBuffer: 1 << 29,
        timeout: run.timeoutMs ?? 600_000,
        ...(run.cwd === undefined ? {} : { cwd: run.cwd }),
        ...(run.env === undefined ? {} : { env: run.env }),
        ...(run.signal === undefined ? {} : { signal: run.signal }),
      },
      (error, stdout, stderr) => {
        if (error === null) return resolve(stdout);
        const words = stderr.toString().trim().split('\n').slice(-5).join('\n  ');
        const how = error.killed ? 'took too long' : `failed (${error.code ?? error.signal ?? 'no status'})`;
        reject(
          new XdpError('XDP_TOOL_FAILED', `${program} ${how}${words === '' ? '' : `:\n  ${words}`}`, {
            cause: error,
          }),
        );
      },
    );
    // A program that ends without reading its input is no fault of its own.
    child.stdin?.on('error', () => {});
    child.stdin?.end(run.input ?? '');
  });
}
