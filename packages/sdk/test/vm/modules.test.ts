import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasModule, indexModules, modulesInOrder, readModinfo } from '#dist/vm/modules.js';

// Real object files, as a compiler writes them, with the section that the kernel's build puts there.
function buildModule(directory: string, name: string, depends: string): string {
  const source = join(directory, `${name}.c`);
  const info = (text: string, id: string): string =>
    `static const char ${id}[] __attribute__((section(".modinfo"), used)) = "${text}";\n`;
  writeFileSync(
    source,
    `int code(void) { return 1; }\n${info(`depends=${depends}`, 'd')}${info('alias=x', 'a')}${info('alias=y', 'b')}` +
      // Not in the section: must not be taken for it.
      'const char decoy[] = "depends=decoy";\n',
  );
  const object = join(directory, `${name}.ko`);
  execFileSync('cc', ['-c', '-O1', '-o', object, source]);
  rmSync(source);
  return object;
}

describe('kernel modules', () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'modules-'));
    const drivers = join(root, 'kernel/drivers');
    mkdirSync(drivers, { recursive: true });
    buildModule(drivers, 'top', 'left,right-hand,core');
    buildModule(drivers, 'left', 'base');
    execFileSync('xz', [buildModule(drivers, 'right-hand', 'base')]);
    execFileSync('zstd', ['-q', '--rm', buildModule(drivers, 'base', '')]);
    buildModule(drivers, 'lost', 'nowhere');
    buildModule(drivers, 'ring_a', 'ring_b');
    buildModule(drivers, 'ring_b', 'ring_a');
    writeFileSync(join(root, 'modules.builtin'), 'kernel/lib/core.ko\n');
  });
  afterAll(() => rmSync(root, { recursive: true }));

  test('.modinfo is read as a section, with keys that repeat', () => {
    const info = readModinfo(readFileSync(join(root, 'kernel/drivers/top.ko')));
    expect(info.get('depends')).toEqual(['left,right-hand,core']);
    // In the order in which the compiler put them.
    expect(info.get('alias')?.toSorted()).toEqual(['x', 'y']);
  });

  test('what is no module is refused', () => {
    expect(() => readModinfo(Buffer.from('text'))).toThrow(/64-bit ELF/);
  });

  test('a module comes after all that it needs, each once, unpacked; built-in ones are left out', async () => {
    const index = indexModules(root);
    const modules = await modulesInOrder(index, ['top', 'left'], '6.1');
    expect(modules.map((module) => module.name)).toEqual(['base', 'left', 'right_hand', 'top']);
    for (const { name, data } of modules) {
      expect(Buffer.from(data).toString('latin1', 1, 4), name).toBe('ELF');
    }
  });

  test('- and _ are the same in a name', async () => {
    const modules = await modulesInOrder(indexModules(root), ['right-hand'], '6.1');
    expect(modules.map((module) => module.name)).toEqual(['base', 'right_hand']);
    expect(hasModule(indexModules(root), 'right_hand')).toBe(true);
  });

  test('a module that is not there is named, and who needs it', async () => {
    const index = indexModules(root);
    await expect(modulesInOrder(index, ['absent'], '6.1')).rejects.toThrow('kernel 6.1 has no module absent');
    await expect(modulesInOrder(index, ['lost'], '6.1')).rejects.toThrow(
      'no module nowhere, which lost needs',
    );
  });

  test('a ring of modules does not turn for ever', async () => {
    const modules = await modulesInOrder(indexModules(root), ['ring_a'], '6.1');
    expect(modules.map((module) => module.name)).toEqual(['ring_b', 'ring_a']);
  });

  test('a kernel without modules has none', () => {
    expect(indexModules(undefined).files.size).toBe(0);
    expect(indexModules(join(root, 'absent')).files.size).toBe(0);
  });
});
