import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { captureBytes } from 'xdptest/packet';
import { cli, scratch } from '../support/cli.ts';

const actions = fileURLToPath(new URL('../bpf/actions.bpf.o', import.meta.url));

test('bench prints lines that benchstat compares', () => {
  const directory = scratch();
  const [old, fresh] = [join(directory, 'old.txt'), join(directory, 'new.txt')];
  for (const file of [old, fresh]) {
    const { code, stdout } = cli(['bench', actions, '-p', 'pass', '--count', '6', '--time', '2']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^goos: linux\ngoarch: \w+\npkg: actions\.bpf\.o\ncpu: .+\n/);
    expect(stdout.match(/^BenchmarkPass-\d+\t +\d+\t +[\d.]+ ns\/op/gm)).toHaveLength(6);
    writeFileSync(file, stdout);
  }
  const { code, stdout } = cli(['benchstat', old, fresh]);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^Pass-\d+ +[\d.]+[pnµm] ± +\d+% +[\d.]+[pnµm] ± +\d+% +(~|[+-][\d.]+%) \(p=[01]\.\d{3} n=6\)$/m,
  );
});

test('bench takes its packet from a capture, and says what a changed packet costs', () => {
  const capture = join(scratch(), 'one.pcapng');
  writeFileSync(capture, captureBytes([Uint8Array.from({ length: 100 }, (_, i) => i)]));
  const { code, stdout, stderr } = cli([
    'bench',
    actions,
    '-p',
    'by_content',
    '--pcap',
    capture,
    '--count',
    '1',
    '--time',
    '1',
  ]);
  expect(code).toBe(0);
  expect(stdout).toContain('BenchmarkBy_content-');
  expect(stderr).toContain('by_content: the program changes the packet');
});

test('wrong command lines and files without results are told apart', () => {
  expect(cli(['bench'])).toMatchObject({ code: 2, stderr: expect.stringContaining('which object file?') });
  expect(cli(['bench', actions, '--engine', 'fast']).code).toBe(2);
  expect(cli(['bench', actions, '-p', 'none'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('XDP_NOT_FOUND'),
  });
  const empty = join(scratch(), 'empty.txt');
  writeFileSync(empty, 'PASS\n');
  expect(cli(['benchstat', empty])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('has no benchmark results'),
  });
  expect(cli(['benchstat']).code).toBe(2);
});
