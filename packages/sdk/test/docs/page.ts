/** Makes a page's blocks files in a folder of their own, compiles what is to be compiled, and runs them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect } from 'vitest';
import { executable } from '../support/cli.ts';
import { patience } from '../support/emulation.ts';
import { type Block, blocksOf } from './markdown.ts';
import { checkShownValues, shownModule } from './shown-values.ts';

const sdk = fileURLToPath(new URL('../..', import.meta.url));
/** Within the package, so that `xdptest` is the package itself. */
const scratch = join(sdk, '.docs');
const balancer = join(sdk, '../examples/load-balancer');

/** A block of TypeScript that is a program or a file of the page. */
export interface Program extends Block {
  readonly path: string;
}

export interface Page {
  readonly name: string;
  readonly directory: string;
  readonly blocks: readonly Block[];
  readonly programs: readonly Program[];
}

/** Writes the files of a page. The balancer of the examples is there in every page's folder, as lb.bpf.o. */
export function layOut(path: string): Page {
  const name = basename(path, '.md');
  const directory = join(scratch, name);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'docs-shown.mjs'), shownModule);
  const blocks = blocksOf(path);
  copyFileSync(join(balancer, 'lb.bpf.o'), join(directory, 'lb.bpf.o'));
  // Without a configuration of its own vitest would take the package's.
  writeFileSync(join(directory, 'vitest.config.ts'), 'export default { test: { testTimeout: 300_000 } };\n');
  const programs = blocks.filter(isProgram).map((block) => {
    const file = join(directory, block.attributes.file ?? `block-${block.line}.ts`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, block.code);
    return { ...block, path: file };
  });
  declareSources(directory, blocks);
  return { name, directory, blocks, programs };
}

/** Sources that programs of the page import as modules: they and their types are there before anything is checked. */
function declareSources(directory: string, blocks: readonly Block[]): void {
  for (const { attributes, code } of blocks.filter(({ language }) => language === 'c')) {
    const { file } = attributes;
    if (file === undefined || !blocks.some(({ code }) => code.includes(`'./${file}'`))) continue;
    writeFileSync(join(directory, file), code);
    execFileSync(process.execPath, [executable, 'gen', file, '--cache', join(directory, 'cache')], {
      cwd: directory,
    });
  }
}

function isProgram({ language, attributes }: Block): boolean {
  return language === 'ts' && attributes.skip === undefined;
}

/** Compiles a block of C as the examples are; the object is there for the page's programs. */
export function compileC(page: Page, block: Block): void {
  const source = join(page.directory, block.attributes.file ?? `block-${block.line}.bpf.c`);
  const triple = execFileSync('cc', ['-dumpmachine'], { encoding: 'utf8' }).trim();
  writeFileSync(source, block.code);
  const flags = [
    '-O2',
    '-g',
    '-target',
    'bpf',
    '-mcpu=v3',
    '-Wall',
    '-Wextra',
    '-Werror',
    `-I/usr/include/${triple}`,
  ];
  const { status, stderr } = spawnSync(
    'clang',
    [...flags, '-c', source, '-o', source.replace(/\.c$/, '.o')],
    {
      encoding: 'utf8',
    },
  );
  expect(stderr).toBe('');
  expect(status).toBe(0);
}

/** Type-checks programs as strictly as the package; what is wrong comes with the place in the page. */
export function typeErrors(programs: readonly Program[]): string[] {
  const config = ts.readConfigFile(join(sdk, '../../tsconfig.base.json'), ts.sys.readFile).config as {
    compilerOptions: object;
  };
  const { options } = ts.convertCompilerOptionsFromJson(
    {
      ...config.compilerOptions,
      noEmit: true,
      noUnusedLocals: false,
      declaration: false,
      declarationMap: false,
      allowArbitraryExtensions: true,
    },
    sdk,
  );
  const places = new Map(programs.map((program) => [program.path, program]));
  const program = ts.createProgram([...places.keys()], options);
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const text = ts.flattenDiagnosticMessageText(messageText, '\n');
    if (file === undefined || start === undefined) return text;
    const { line } = file.getLineAndCharacterOfPosition(start);
    const block = places.get(file.fileName);
    return `${block === undefined ? file.fileName : `${block.place} + ${line + 1}`}: ${text}`;
  });
}

/** Runs a program in the page's folder; one of vitest by vitest. Gives what it printed. */
export function runProgram(page: Page, program: Program): string {
  if (program.path.endsWith('.test.ts')) return runTests(page, program);
  const code = ts.transpileModule(checkShownValues(program.code, join(page.directory, 'docs-shown.mjs')), {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  }).outputText;
  const path = program.path.replace(/\.ts$/, '.mjs');
  writeFileSync(path, code);
  const { status, stdout, stderr } = spawnSync(process.execPath, [path], {
    cwd: page.directory,
    encoding: 'utf8',
    timeout: patience(120_000),
  });
  const { throws } = program.attributes;
  if (throws !== undefined) expect(stderr).toContain(`code: '${throws}'`);
  else expect(stderr.replaceAll(/^\(node:\d+\).*\n(\(Use `node.*\n)?/gm, '')).toBe('');
  expect(status).toBe(throws === undefined ? 0 : 1);
  return stdout;
}

function runTests(page: Page, program: Program): string {
  const vitest = join(sdk, 'node_modules/vitest/vitest.mjs');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [vitest, 'run', '--root', page.directory, basename(program.path)],
    {
      cwd: page.directory,
      encoding: 'utf8',
      timeout: patience(300_000),
      env: { ...process.env, NO_COLOR: '1' },
    },
  );
  expect(status, `${stdout}\n${stderr}`).toBe(0);
  return stdout;
}

/** A command of a block, with the output that the page shows for it. */
export interface ShownCommand {
  readonly args: readonly string[];
  readonly output: string;
}

/** The commands in a block that are ours; each begins with `$ ` or, in a block without output, with itself. */
export function commandsOf({ code, language }: Block): ShownCommand[] {
  const commands: { args: string[]; output: string }[] = [];
  if (language !== 'sh' && language !== 'console') return commands;
  for (const line of code.trimEnd().split('\n')) {
    const text = language === 'console' ? /^\$ (.*)$/.exec(line)?.[1] : line;
    const own = text === undefined ? undefined : /^(?:npx )?xdptest (.*)$/.exec(text)?.[1];
    if (own !== undefined) commands.push({ args: wordsOf(own), output: '' });
    else if (language === 'console' && text === undefined && commands.length > 0)
      commands.at(-1)!.output += `${line}\n`;
  }
  return commands;
}

/** Words as the shell would see them: quotes and comments, no expansion. */
function wordsOf(text: string): string[] {
  return Array.from(
    text.replace(/\s#\s.*$/, '').matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g),
    ([, a, b, c]) => (a ?? b ?? c)!,
  );
}
