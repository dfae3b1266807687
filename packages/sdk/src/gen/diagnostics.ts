/** What clang says of a program that does not compile, taken apart and with advice for the common cases. */
import { relative, resolve } from 'node:path';
import { XdpError } from '../errors.ts';

/** A place in a source file, lines and columns from 1. */
export interface SourcePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The error of a program that does not compile. */
export class CompileError extends XdpError {
  /** Where the first error is; undefined when clang named no place. */
  readonly place: SourcePlace | undefined;

  constructor(source: string, messages: string) {
    const text = messages.trimEnd();
    const advice = adviceFor(text);
    super(
      'XDP_COMPILE_FAILED',
      `${relative(process.cwd(), source)} does not compile\n${text}${advice === undefined ? '' : `\n${advice}`}`,
    );
    this.place = firstError(text);
  }
}

const diagnostic = /^(.+?):(\d+):(\d+): (?:fatal error|error): /m;

function firstError(messages: string): SourcePlace | undefined {
  const match = diagnostic.exec(messages);
  if (match === null) return undefined;
  return { file: resolve(match[1]!), line: Number(match[2]), column: Number(match[3]) };
}

const headers: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [
    /'vmlinux\.h' file not found/,
    'vmlinux.h is made from the running kernel: bpftool btf dump file /sys/kernel/btf/vmlinux format c > vmlinux.h',
  ],
  [
    /'bpf\/[\w.]+' file not found/,
    "libbpf's headers are missing: apt-get install libbpf-dev, dnf install libbpf-devel, apk add libbpf-dev",
  ],
  [
    /'(?:linux|asm)\/[\w./]+' file not found/,
    "the kernel's headers are missing: apt-get install linux-libc-dev, dnf install kernel-headers, apk add linux-headers",
  ],
  [
    /No available targets are compatible with triple "bpf"|unknown target triple 'bpf/,
    'this clang was built without the BPF target: use the one of your distribution',
  ],
];

function adviceFor(messages: string): string | undefined {
  return headers.find(([pattern]) => pattern.test(messages))?.[1];
}
