/** BPF sources and objects as modules: what `import lb from './lb.bpf.c'` evaluates to. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type CompiledBpf,
  CompileError,
  type CompilerOptions,
  compileBpf,
  declarationPath,
  headersOf,
  isOwnHeader,
  type SourcePlace,
  writeDeclaration,
} from '../gen/index.ts';
import { declarationOf } from '../object/index.ts';

/** Ids of modules that are BPF programs; those with a query (`?raw`, `?url`) are none of ours. */
export const bpfModule = /\.bpf\.[co]$/;

/** The package itself, as the plugin sees it: in the workers it must be the same copy. */
const packageEntry = fileURLToPath(new URL('../index.js', import.meta.url));

/** A module and what it depends on. */
export interface BpfModule {
  readonly code: string;
  /** Headers of the user's own, to be watched. */
  readonly headers: readonly string[];
  readonly warnings: string;
}

/** Options of {@link loadBpfModule}. */
export interface BpfModuleOptions extends CompilerOptions {
  readonly cacheDir: string;
  /** Whether to write a declaration beside the source. */
  readonly types: boolean;
  /** Whether the module has the object's bytes in it, for a worker that does not see this machine's files of now. */
  readonly embed: boolean;
}

/** What Vite wants of an error to show the place that it is about. */
export interface PlacedError extends Error {
  loc?: SourcePlace;
  frame?: string;
  id?: string;
}

/** Compiles a source, or takes an object as it is, and writes its types. */
export async function loadBpfModule(file: string, options: BpfModuleOptions): Promise<BpfModule> {
  const compiled: CompiledBpf = file.endsWith('.c')
    ? await compileBpf(file, options)
    : { path: file, headers: [], warnings: '' };
  if (options.types) {
    writeDeclaration(declarationPath(file), declarationOf(readFileSync(compiled.path), basename(file)));
  }
  return {
    code: options.embed
      ? embeddingModule(compiled.path, basename(file))
      : referringModule(compiled.path, basename(file)),
    headers: compiled.headers.filter(isOwnHeader),
    warnings: compiled.warnings,
  };
}

function referringModule(path: string, name: string): string {
  return [
    `import { XdpObjectFile } from ${JSON.stringify(packageEntry)};`,
    `export default new XdpObjectFile(${JSON.stringify(path)}, ${JSON.stringify(name)});`,
  ].join('\n');
}

function embeddingModule(path: string, name: string): string {
  return [
    `import { mkdtempSync, writeFileSync } from 'node:fs';`,
    `import { tmpdir } from 'node:os';`,
    `import { join } from 'node:path';`,
    `import { XdpObjectFile } from ${JSON.stringify(packageEntry)};`,
    `const path = join(mkdtempSync(join(tmpdir(), 'xdptest-object-')), ${JSON.stringify(basename(path))});`,
    `writeFileSync(path, Buffer.from('${readFileSync(path).toString('base64')}', 'base64'));`,
    `export default new XdpObjectFile(path, ${JSON.stringify(name)});`,
  ].join('\n');
}

/** The headers to watch of a program that does not compile, and its error with the place for Vite to show. */
export async function explainFailure(
  file: string,
  error: unknown,
  options: CompilerOptions,
): Promise<{ readonly error: unknown; readonly headers: readonly string[] }> {
  if (!(error instanceof CompileError)) return { error, headers: [] };
  const headers = (await headersOf(file, options)).filter(isOwnHeader);
  const placed: PlacedError = error;
  if (error.place !== undefined) {
    placed.loc = error.place;
    placed.frame = frameAt(error.place);
    // Vitest takes the frames of the stack for JavaScript of the user's; this is the only one that is of use.
    const { file: at, line, column } = error.place;
    placed.stack = `${error.name}: ${error.message}\n    at ${at}:${line}:${column}`;
  } else placed.stack = `${error.name}: ${error.message}`;
  placed.id = file;
  return { error, headers };
}

/** Some lines of the source around a place, numbered as Vite's own frames are. */
function frameAt({ file, line, column }: SourcePlace): string {
  let lines: readonly string[];
  try {
    lines = readFileSync(file, 'utf8').split('\n');
  } catch {
    return '';
  }
  const first = Math.max(1, line - 2);
  const shown = lines
    .slice(first - 1, line + 2)
    .map((text, i) => `${String(first + i).padStart(4)}  |  ${text}`);
  shown.splice(line - first + 1, 0, `      |  ${' '.repeat(Math.max(0, column - 1))}^`);
  return shown.join('\n');
}
