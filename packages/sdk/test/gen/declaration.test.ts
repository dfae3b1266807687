import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { compileBpf, declarationPath, writeDeclaration } from '#dist/gen/index.js';
import { declarationOf, requireTypes } from '#dist/object/index.js';

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const { path } = await compileBpf(file('kinds.bpf.c'), {
  cacheDir: file('../../node_modules/.cache/xdptest'),
});

test('each kind of type is declared as reading it gives it', async () => {
  // The declaration is a file of its own, so that test/types checks code against it.
  await expect(declarationOf(readFileSync(path), 'kinds.bpf.c')).toMatchFileSnapshot('kinds.bpf.d.c.ts');
});

test('a declaration lies where TypeScript looks, and is written only when it says something new', () => {
  expect(declarationPath('/a/lb.bpf.c')).toBe('/a/lb.bpf.d.c.ts');
  expect(declarationPath('/a/lb.bpf.o')).toBe('/a/lb.bpf.d.o.ts');
  const target = declarationPath(file('kinds.bpf.c'));
  expect(writeDeclaration(target, readFileSync(target, 'utf8'))).toBe(false);
});

test('an object without BTF is told apart', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'xdptest-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const source = join(directory, 'bare.bpf.c');
  writeFileSync(source, '__attribute__((section("xdp"))) int bare(void *ctx) { (void)ctx; return 2; }\n');
  const options = { cacheDir: directory };
  const bare = await compileBpf(source, { ...options, cflags: ['-g0'] });
  expect(() => requireTypes(readFileSync(bare.path), 'bare')).toThrow(/compile it with -g/);
  expect(declarationOf(readFileSync(bare.path), 'bare')).toContain("readonly programs: 'bare';");
  const whole = await compileBpf(source, options);
  expect(() => requireTypes(readFileSync(whole.path), 'bare')).not.toThrow();
});
