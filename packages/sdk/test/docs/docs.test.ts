/** Every code block of the docs is compiled, type-checked against the built package, and run on this kernel. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { executable } from '../support/cli.ts';
import { patience } from '../support/emulation.ts';
import { missing } from '../support/missing.ts';
import type { Block } from './markdown.ts';
import { commandsOf, compileC, layOut, type Page, runProgram, typeErrors } from './page.ts';

const top = fileURLToPath(new URL('../../../..', import.meta.url));
const paths = [
  join(top, 'README.md'),
  ...readdirSync(join(top, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(top, 'docs', name)),
];
const pages = paths.map(layOut);

/** Whether there is anything to test in a block. */
function isChecked(block: Block): boolean {
  return ['ts', 'c'].includes(block.language) || commandsOf(block).length > 0;
}

test('there are pages, and programs in them', () => {
  expect(pages.length).toBeGreaterThan(5);
  expect(pages.flatMap(({ programs }) => programs).length).toBeGreaterThan(20);
});

test('all programs are well typed', () => {
  const checked = pages
    .flatMap(({ programs }) => programs)
    .filter(({ attributes }) => attributes['run-only'] === undefined);
  expect(typeErrors(checked)).toEqual([]);
});

test.each(paths)('links of %s lead somewhere', (path) => {
  const text = readFileSync(path, 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '');
  const links = Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, link]) => link!.replace(/#.*$/, ''));
  const dead = links.filter(
    (link) => link !== '' && !/^https?:/.test(link) && !existsSync(join(path, '..', link)),
  );
  expect(dead).toEqual([]);
});

// A page of words alone has no tests of its own.
describe.each(pages.filter(({ blocks }) => blocks.some(isChecked)))('$name', (page: Page) => {
  const { blocks, programs } = page;
  for (const block of blocks.filter(({ language }) => language === 'c')) {
    const { skip } = block.attributes;
    test(`${block.place} compiles`, (context) => {
      context.skip(skip !== undefined, skip);
      compileC(page, block);
    });
  }
  for (const block of blocks.filter(
    ({ language, attributes }) => language === 'ts' && attributes.skip !== undefined,
  )) {
    test(`${block.place} runs`, (context) => context.skip(block.attributes.skip));
  }
  for (const program of programs) {
    // A file that is no test is there to be imported by others.
    const isPart = program.attributes.file !== undefined && !program.path.endsWith('.test.ts');
    if (isPart || program.attributes['types-only'] !== undefined) continue;
    test(`${program.place} runs`, { timeout: patience(300_000) }, ({ skip }) => {
      const { needs } = program.attributes;
      const lack = needs === undefined ? undefined : missing[needs as keyof typeof missing];
      skip(lack !== undefined, lack);
      runProgram(page, program);
    });
  }
  for (const block of blocks) {
    const commands = commandsOf(block);
    if (commands.length === 0) continue;
    test(`${block.place} runs`, { timeout: patience(120_000) }, (context) => {
      const { skip, exit = '0', exact } = block.attributes;
      context.skip(skip !== undefined, skip);
      for (const { args, output } of commands) {
        const { status, stdout, stderr } = spawnSync(process.execPath, [executable, ...args], {
          cwd: page.directory,
          encoding: 'utf8',
        });
        expect({ args, status, stderr }).toMatchObject({ status: Number(exit) });
        if (exact !== undefined) expect(stdout + stderr).toBe(output);
      }
    });
  }
});
