import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { captureBytes } from 'xdptest/packet';
import { cli, executable, scratch } from '../support/cli.ts';

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
/** The commands that the usage lists. */
const commands = [...cli(['--help']).stdout.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name!);

test('lists its commands, and says how to go on', () => {
  const { code, stdout, stderr } = cli(['--help']);
  expect(code).toBe(0);
  expect(stdout).toContain('usage: xdptest COMMAND');
  expect(stderr).toBe('');
  expect(commands).toEqual(expect.arrayContaining(['doctor', 'run', 'show', 'vm']));
});

test('prints its version', () => {
  expect(cli(['--version'])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' });
});

test('without a command it prints the usage as an error', () => {
  const { code, stdout, stderr } = cli([]);
  expect(code).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toContain('usage: xdptest COMMAND');
});

test('an unknown command is an error that lists those there are', () => {
  const { code, stderr } = cli(['docter']);
  expect(code).toBe(2);
  expect(stderr).toContain('there is no command "docter"');
  expect(stderr).toContain('doctor');
});

describe.each(commands)('%s', (name) => {
  test('--help prints its usage, with the exit codes', () => {
    const { code, stdout, stderr } = cli([name, '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain(`usage: xdptest ${name}`);
    expect(stdout).toContain('Exit code');
    expect(stderr).toBe('');
    expect(cli(['help', name]).stdout).toBe(stdout);
  });

  test('an unknown option is an error that names it', () => {
    const { code, stdout, stderr } = cli([name, '--no-such-option']);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain("'--no-such-option'");
    expect(stderr).toContain(`try: xdptest ${name} --help`);
  });
});

test('a reader that has had enough is no error', () => {
  const file = join(scratch(), 'long.pcapng');
  writeFileSync(file, captureBytes(Array.from({ length: 20_000 }, () => new Uint8Array(60))));
  const command = `"$0" "$1" show "$2" | head -n 1; echo "\${PIPESTATUS[0]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', command, process.execPath, executable, file], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(stdout).toMatch(/^#0 .*\n0\n$/);
});
