import { execFileSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cpioWriter } from '#dist/vm/cpio.js';
import { findProgram } from '#dist/vm/tools.js';

function archive(write: (writer: ReturnType<typeof cpioWriter>) => void): Buffer {
  const parts: Uint8Array[] = [];
  const writer = cpioWriter((bytes) => parts.push(Uint8Array.from(bytes)));
  write(writer);
  writer.end();
  return Buffer.concat(parts);
}

// Two other judges of the format: GNU cpio and busybox, whichever is there (busybox is needed for machines anyway).
const judges = [
  ['cpio', findProgram('cpio')],
  ['busybox', findProgram('busybox')],
].filter((judge): judge is [string, string] => judge[1] !== undefined);

describe('an initramfs archive', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'cpio-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  test.for(judges)('%s unpacks what was put in', ([name, program]) => {
    // Names and contents of every length modulo 4: both are padded.
    const contents = new Map(
      [0, 1, 2, 3, 4, 5, 4096, 70001].map((size) => [
        `f${'x'.repeat(size % 7)}${size}`,
        Buffer.alloc(size, size),
      ]),
    );
    const bytes = archive((writer) => {
      writer.directory('/d', 0o750);
      for (const [file, data] of contents) writer.file(`/d/${file}`, data, 0o640);
      writer.symlink('/d/link', 'somewhere/else');
      writer.file('/d/run', Buffer.from('#!/bin/sh\n'), 0o755);
    });
    const args = name === 'busybox' ? ['cpio', '-i', '-d', '-m'] : ['-i', '-d', '-m', '--quiet'];
    execFileSync(program, args, { input: bytes, cwd: directory, stdio: ['pipe', 'ignore', 'pipe'] });
    for (const [file, data] of contents) {
      expect(readFileSync(join(directory, 'd', file)).equals(data), file).toBe(true);
      expect(lstatSync(join(directory, 'd', file)).mode & 0o777).toBe(0o640);
    }
    expect(readdirSync(join(directory, 'd'))).toHaveLength(contents.size + 2);
    expect(readlinkSync(join(directory, 'd/link'))).toBe('somewhere/else');
    expect(lstatSync(join(directory, 'd')).mode & 0o777).toBe(0o750);
    expect(lstatSync(join(directory, 'd/run')).mode & 0o777).toBe(0o755);
  });

  test('a device node has its type and numbers', () => {
    const bytes = archive((writer) => writer.device('/dev/console', 5, 1));
    const field = (index: number): number =>
      Number.parseInt(bytes.toString('latin1', 6 + 8 * index, 14 + 8 * index), 16);
    expect(bytes.toString('latin1', 0, 6)).toBe('070701');
    expect(field(1)).toBe(0o020600);
    expect([field(9), field(10)]).toEqual([5, 1]);
    expect(bytes.toString('latin1', 110, 122)).toBe('dev/console\0');
  });

  test('a file may be written piece by piece', () => {
    const whole = archive((writer) => writer.file('/a', Buffer.from('hello')));
    const parts: Uint8Array[] = [];
    const writer = cpioWriter((bytes) => parts.push(Uint8Array.from(bytes)));
    writer.beginFile('/a', 5);
    parts.push(Buffer.from('he'), Buffer.from('llo'));
    writer.endOfFile(5);
    writer.end();
    expect(Buffer.concat(parts).equals(whole)).toBe(true);
  });

  test('a file too long for the format is refused, not truncated', () => {
    expect(() => archive((writer) => writer.beginFile('/a', 2 ** 32))).toThrow(/up to 4 GiB/);
  });
});
