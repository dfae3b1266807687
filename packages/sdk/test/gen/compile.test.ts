import { appendFileSync, cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { CompileError, compileBpf, headersOf, isOwnHeader } from '#dist/gen/index.js';

const fixtures = fileURLToPath(new URL('.', import.meta.url));
const directories: string[] = [];
let source = '';
let options: { cacheDir: string };

beforeEach(() => {
  // A space in the path: make rules escape it.
  const directory = mkdtempSync(join(tmpdir(), 'xdptest gen '));
  directories.push(directory);
  for (const name of ['kinds.bpf.c', 'kinds.h']) cpSync(join(fixtures, name), join(directory, name));
  source = join(directory, 'kinds.bpf.c');
  options = { cacheDir: join(directory, 'cache') };
});

afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true });
});

test('the same content is compiled once, and a change of a header, a flag or the source again', async () => {
  const first = await compileBpf(source, options);
  expect(await compileBpf(source, options)).toEqual(first);

  const header = join(source, '..', 'kinds.h');
  appendFileSync(header, 'enum more { MORE };\nstruct of_header { enum more more; } in_header;\n');
  const withHeader = await compileBpf(source, options);
  expect(withHeader.path).not.toBe(first.path);

  const withFlag = await compileBpf(source, { ...options, cflags: ['-mcpu=v2'] });
  expect(withFlag.path).not.toBe(withHeader.path);

  appendFileSync(source, 'int added;\n');
  const withSource = await compileBpf(source, options);
  expect(withSource.path).not.toBe(withHeader.path);

  // Back to the first content: that is in the cache still, and nothing is compiled for it.
  for (const name of ['kinds.bpf.c', 'kinds.h']) cpSync(join(fixtures, name), join(source, '..', name));
  const objects = readdirSync(options.cacheDir).length;
  expect((await compileBpf(source, options)).path).toBe(first.path);
  expect(readdirSync(options.cacheDir)).toHaveLength(objects);
});

test('two that ask at once share one compilation, and no draft stays behind', async () => {
  const [a, b] = await Promise.all([compileBpf(source, options), compileBpf(source, options)]);
  expect(a).toBe(b);
  expect(readdirSync(options.cacheDir).filter((name) => !/^[0-9a-f]{64}\.(bpf\.o|json)$/.test(name))).toEqual(
    [],
  );
});

test('an error names the line, and the headers are known all the same', async () => {
  writeFileSync(join(source, '..', 'kinds.h'), 'enum mode { MODE_SLOW, MODE_FAST = }\n');
  const error = await compileBpf(source, options).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(CompileError);
  expect(error).toMatchObject({
    code: 'XDP_COMPILE_FAILED',
    place: { file: join(source, '..', 'kinds.h'), line: 1 },
  });
  expect((error as CompileError).message).toContain('expected expression');
  const headers = await headersOf(source, {});
  expect(headers.filter(isOwnHeader)).toEqual([join(source, '..', 'kinds.h')]);
});

test('a header that is not installed comes with what to install', async () => {
  writeFileSync(source, '#include "vmlinux.h"\n');
  await expect(compileBpf(source, options)).rejects.toThrow(
    /vmlinux.h is made from the running kernel: bpftool/,
  );
  writeFileSync(source, '#include <bpf/none_of_that_name.h>\n');
  await expect(compileBpf(source, options)).rejects.toThrow(/apt-get install libbpf-dev/);
});

test('a compiler that is not there says how to get one', async () => {
  await expect(
    (async () => compileBpf(source, { ...options, clang: 'no-such-clang' }))(),
  ).rejects.toMatchObject({
    code: 'XDP_TOOL_MISSING',
    message: expect.stringContaining('apt-get install clang'),
  });
});
