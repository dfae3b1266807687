/** clang: where it is, which one, and the flags that every BPF program of ours is compiled with. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { XdpError } from '../errors.ts';

/** How BPF programs are compiled. */
export interface CompilerOptions {
  /** The compiler, default `$CLANG` or `clang`. */
  readonly clang?: string | undefined;
  /** More flags, after those of the package: `-DDEBUG`, `-mcpu=v4`. */
  readonly cflags?: readonly string[] | undefined;
  /** Directories to look for headers in. */
  readonly include?: readonly string[] | undefined;
}

/** A compiler and the flags for it, resolved. */
export interface Compiler {
  readonly command: string;
  /** What it says of itself: a part of the cache's key. */
  readonly version: string;
  readonly flags: readonly string[];
}

/** The names that other tools have for an architecture: the directory of its C headers, and libbpf's macro. */
const architectures: Readonly<Record<string, readonly [triple: string, macro: string]>> = {
  x64: ['x86_64-linux-gnu', 'x86'],
  arm64: ['aarch64-linux-gnu', 'arm64'],
  riscv64: ['riscv64-linux-gnu', 'riscv'],
  ppc64: ['powerpc64le-linux-gnu', 'powerpc'],
  s390x: ['s390x-linux-gnu', 's390'],
};

const versions = new Map<string, string>();

/**
 * Finds the compiler.
 * @throws XdpError `XDP_TOOL_MISSING`, `XDP_TOOL_FAILED`
 */
export function findCompiler(options: CompilerOptions): Compiler {
  const command = options.clang ?? (process.env.CLANG || 'clang');
  const [triple, macro] = architectures[process.arch] ?? [undefined, undefined];
  const multiarch = triple === undefined ? undefined : `/usr/include/${triple}`;
  return {
    command,
    version: versionOf(command),
    flags: [
      '-O2',
      '-g',
      '-target',
      'bpf',
      '-mcpu=v3',
      '-Wall',
      ...(macro === undefined ? [] : [`-D__TARGET_ARCH_${macro}`]),
      ...(options.include ?? []).map((directory) => `-I${directory}`),
      // With -target bpf clang does not look where Debian keeps asm/types.h; last, so that it shadows nothing.
      ...(multiarch !== undefined && existsSync(multiarch) ? ['-idirafter', multiarch] : []),
      ...(options.cflags ?? []),
    ],
  };
}

function versionOf(command: string): string {
  let version = versions.get(command);
  if (version === undefined) {
    try {
      version = execFileSync(command, ['--version'], { encoding: 'utf8' }).trim();
    } catch (cause) {
      throw toolError(command, cause as Error);
    }
    versions.set(command, version);
  }
  return version;
}

/** What a run of the compiler left behind. */
export interface CompilerRun {
  readonly ok: boolean;
  /** Its warnings and errors. */
  readonly messages: string;
  readonly output: string;
}

export function runCompiler(compiler: Compiler, args: readonly string[]): Promise<CompilerRun> {
  return new Promise((resolve, reject) => {
    execFile(
      compiler.command,
      [...compiler.flags, ...args],
      { encoding: 'utf8', maxBuffer: 64 << 20 },
      (error, output, messages) => {
        // A number is its exit code; a string is the name of an error of starting it.
        if (error !== null && typeof error.code === 'string') reject(toolError(compiler.command, error));
        else resolve({ ok: error === null, messages, output });
      },
    );
  });
}

function toolError(command: string, cause: { readonly code?: unknown; readonly message: string }): XdpError {
  if (cause.code === 'ENOENT') {
    return new XdpError(
      'XDP_TOOL_MISSING',
      `the compiler ${command} is not installed: apt-get install clang (Debian, Ubuntu), dnf install clang (Fedora, RHEL), apk add clang (Alpine); or name another one with the option clang or in $CLANG`,
      { cause },
    );
  }
  return new XdpError('XDP_TOOL_FAILED', `the compiler ${command} cannot be run: ${cause.message}`, {
    cause,
  });
}
