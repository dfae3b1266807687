import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { cli, scratch } from '../support/cli.ts';

const kinds = fileURLToPath(new URL('../gen', import.meta.url));

test('gen writes the types that the plugin writes, says when they are up to date, and checks them', () => {
  const directory = scratch();
  for (const name of ['kinds.bpf.c', 'kinds.h']) cpSync(join(kinds, name), join(directory, name));
  const source = join(directory, 'kinds.bpf.c');
  const declaration = join(directory, 'kinds.bpf.d.c.ts');
  const cache = ['--cache', join(directory, 'cache')];
  expect(cli(['gen', source, '--check', ...cache])).toMatchObject({
    code: 1,
    stdout: `${declaration}: missing\n`,
  });
  expect(cli(['gen', source, ...cache])).toEqual({
    code: 0,
    stdout: `${declaration}: written\n`,
    stderr: '',
  });
  expect(readFileSync(declaration, 'utf8')).toBe(readFileSync(join(kinds, 'kinds.bpf.d.c.ts'), 'utf8'));
  expect(cli(['gen', source, ...cache]).stdout).toBe(`${declaration}: up to date\n`);
  expect(cli(['gen', source, '--check', ...cache]).code).toBe(0);
  writeFileSync(declaration, '// old\n');
  expect(cli(['gen', source, '--check', ...cache])).toMatchObject({
    code: 1,
    stdout: `${declaration}: out of date\n`,
  });
});

test('gen takes a compiled object, and prints where it is told to', () => {
  const { code, stdout } = cli([
    'gen',
    fileURLToPath(new URL('../bpf/actions.bpf.o', import.meta.url)),
    '-o',
    '-',
  ]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^\/\/ Types of actions\.bpf\.o/);
  expect(stdout).toContain("| 'by_content'");
});

test('gen shows the words of clang, and refuses what it cannot read', () => {
  const directory = scratch();
  const source = join(directory, 'broken.bpf.c');
  writeFileSync(source, 'int x = ;\n');
  const { code, stderr } = cli(['gen', source, '--cache', join(directory, 'cache')]);
  expect(code).toBe(1);
  expect(stderr).toContain('broken.bpf.c:1:9: error: expected expression');
  expect(cli(['gen', join(directory, 'lb.rs')]).code).toBe(2);
  expect(cli(['gen']).code).toBe(2);
});
