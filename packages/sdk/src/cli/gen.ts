/** `xdptest gen`: the types of a BPF program, without vitest. */
import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { invalidArgument, XdpError } from '../errors.ts';
import { compileBpf, declarationPath, writeDeclaration } from '../gen/index.ts';
import { declarationOf, requireTypes } from '../object/index.ts';
import { EXIT } from './exit.ts';
import { print } from './terminal.ts';

const usage = `usage: xdptest gen FILE... [options]

Writes the types of BPF programs: lb.bpf.d.c.ts for the source lb.bpf.c (compiled with clang), lb.bpf.d.o.ts for the
object lb.bpf.o. They are what the vitest plugin writes. TypeScript finds them with allowArbitraryExtensions.

  --out FILE       write to this file (one input only); - is standard output
  --check          write nothing; exit with 1 if a declaration is not up to date
  --clang COMMAND  the compiler ($CLANG, or clang)
  --cflags FLAGS   more flags for it; may be given several times
  --include DIR    a directory for headers; may be given several times
  --cache DIR      where objects are kept (node_modules/.cache/xdptest)

Exit code: 0 when all is well, 1 when a source does not compile or a check fails, 2 for a wrong command line.
`;

const options = {
  out: { type: 'string', short: 'o' },
  check: { type: 'boolean' },
  clang: { type: 'string' },
  cflags: { type: 'string', multiple: true },
  include: { type: 'string', short: 'I', multiple: true },
  cache: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

export async function genCommand(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
  if (values.help === true) {
    process.stdout.write(usage);
    return EXIT.ok;
  }
  if (positionals.length === 0) throw invalidArgument('which file? xdptest gen lb.bpf.c');
  if (values.out !== undefined && positionals.length > 1) throw invalidArgument('--out takes one input only');
  let stale = 0;
  for (const file of positionals) {
    const text = await declare(file, values);
    if (values.out === '-') process.stdout.write(text);
    else if (values.check === true) stale += check(values.out ?? declarationPath(file), text);
    else {
      const path = values.out ?? declarationPath(file);
      print(`${path}: ${writeDeclaration(path, text) ? 'written' : 'up to date'}`);
    }
  }
  return stale === 0 ? EXIT.ok : EXIT.failed;
}

async function declare(file: string, { clang, cflags = [], include, cache }: Values): Promise<string> {
  let object = file;
  if (/\.c$/.test(file)) {
    const compiled = await compileBpf(file, {
      clang,
      include,
      cflags: cflags.flatMap((flags) => flags.split(/\s+/).filter((flag) => flag !== '')),
      cacheDir: resolve(cache ?? 'node_modules/.cache/xdptest'),
    });
    if (compiled.warnings !== '') process.stderr.write(`${compiled.warnings}\n`);
    object = compiled.path;
  } else if (!/\.o$/.test(file))
    throw invalidArgument(`${file} is neither a C source (.c) nor an object (.o)`);
  const bytes = read(object);
  requireTypes(bytes, file);
  return declarationOf(bytes, basename(file));
}

function check(path: string, text: string): number {
  let now: string | undefined;
  try {
    now = readFileSync(path, 'utf8');
  } catch {
    // As good as out of date.
  }
  print(`${path}: ${now === text ? 'up to date' : now === undefined ? 'missing' : 'out of date'}`);
  return now === text ? 0 : 1;
}

function read(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new XdpError('XDP_OBJECT_INVALID', `cannot read ${path}: ${(cause as Error).message}`, { cause });
  }
}
