/** From C to a BPF object, through the cache. */
import { readFileSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ObjectCache } from './cache.ts';
import { type Compiler, type CompilerOptions, findCompiler, runCompiler } from './compiler.ts';
import { CompileError } from './diagnostics.ts';

/** Options of {@link compileBpf}. */
export interface CompileOptions extends CompilerOptions {
  /** Where compiled objects are kept. */
  readonly cacheDir: string;
}

/** A compiled program. */
export interface CompiledBpf {
  /** The object file, named after its content. */
  readonly path: string;
  /** All headers that it includes, those of the system among them. */
  readonly headers: readonly string[];
  /** What clang warned of; empty when it came from the cache. */
  readonly warnings: string;
}

const running = new Map<string, Promise<CompiledBpf>>();

/**
 * Compiles a program, or takes it from the cache when neither it, its headers, the flags nor the compiler changed.
 * @throws CompileError (code `XDP_COMPILE_FAILED`) with clang's own words and the place of the first error;
 *   XdpError `XDP_TOOL_MISSING`
 */
export function compileBpf(source: string, options: CompileOptions): Promise<CompiledBpf> {
  // Several projects of one run may ask for the same program at once.
  const compiler = findCompiler(options);
  const key = JSON.stringify([resolve(source), options.cacheDir, compiler]);
  let result = running.get(key);
  if (result === undefined) {
    result = compile(resolve(source), compiler, options.cacheDir).finally(() => running.delete(key));
    running.set(key, result);
  }
  return result;
}

async function compile(source: string, compiler: Compiler, cacheDir: string): Promise<CompiledBpf> {
  const cache = new ObjectCache(cacheDir);
  const startedMs = Date.now();
  const key = cache.keyOf(source, compiler);
  const known = cache.find(key);
  if (known !== undefined) return { ...known, warnings: '' };
  const object = cache.temporary('o');
  const dependencies = cache.temporary('d');
  try {
    const run = await runCompiler(compiler, ['-MD', '-MF', dependencies, '-c', source, '-o', object]);
    if (!run.ok) throw new CompileError(source, run.messages);
    const headers = parseDependencies(readFileSync(dependencies, 'utf8'), source);
    return { ...cache.add(key, object, headers, startedMs), warnings: run.messages.trimEnd() };
  } finally {
    rmSync(object, { force: true });
    rmSync(dependencies, { force: true });
  }
}

/**
 * The headers of a program that may not compile: clang keeps no dependencies of a failed run, but the preprocessor
 * alone still knows them, unless one is missing.
 */
export async function headersOf(source: string, options: CompilerOptions): Promise<readonly string[]> {
  const run = await runCompiler(findCompiler(options), ['-M', '-MG', '-w', source]);
  return parseDependencies(run.output, source);
}

/** Reads a make rule, as -MD writes it: spaces in names are escaped by a backslash, a dollar is doubled. */
function parseDependencies(rule: string, source: string): string[] {
  const names = rule
    .replace(/^.*?[^\\]:\s/s, '')
    .replaceAll('\\\n', ' ')
    .match(/(?:\\.|[^\s\\])+/g);
  const paths = (names ?? []).map((name) => resolve(name.replaceAll(/\\(.)/g, '$1').replaceAll('$$', '$')));
  return [...new Set(paths)].filter((path) => path !== resolve(source));
}

/** Whether a header is the user's own, and worth watching. */
export function isOwnHeader(path: string): boolean {
  return !/^\/usr\/(?:local\/)?(?:include|lib)/.test(dirname(path));
}
