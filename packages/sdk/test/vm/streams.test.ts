import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { guestPort } from '#dist/vm/guest-port.js';
import { linePrefixer, textCollector } from '#dist/vm/output.js';

function pieces(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    parts.push(bytes.subarray(at, at + size));
    at += size;
  }
  return parts;
}

describe("the guest's control port", () => {
  const text = Buffer.concat([
    Buffer.from('boot 1.83 6.1.0-57-amd64\nstart 2.5\nexit 3 9.75\nfile 12 a dir/report.json\n'),
    // Bytes that look like lines, and no newline after them.
    Buffer.from('exit 0 1\nend\xff', 'latin1').subarray(0, 12),
    Buffer.from('file 0 empty\nend\n'),
  ]);

  test.for([[1], [2, 3], [1000]])('is understood in pieces of %j bytes', (sizes) => {
    let changes = 0;
    const port = guestPort(() => {
      changes += 1;
    });
    for (const piece of pieces(text, sizes)) port.push(piece);
    expect(port.state).toMatchObject({
      release: '6.1.0-57-amd64',
      bootSeconds: 1.83,
      started: true,
      startSeconds: 2.5,
      exitCode: 3,
      exitSeconds: 9.75,
      ended: true,
    });
    expect([...port.state.files].map(([name, bytes]) => [name, bytes.toString('latin1')])).toEqual([
      ['a dir/report.json', 'exit 0 1\nend'],
      ['empty', ''],
    ]);
    expect(changes).toBe(6);
  });

  test('a guest that gives up says why', () => {
    const port = guestPort();
    port.push(Buffer.from('boot 1.0 5.10\nfail module veth does not load\n'));
    expect(port.state.failure).toBe('module veth does not load');
    expect(port.state.started).toBe(false);
  });
});

describe('lines with a name in front', () => {
  test('each line once, whole, however it comes', () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'é', '漢', '\r', ' ', '\0') });
    fc.assert(
      fc.property(
        fc.array(line),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        (lines, sizes) => {
          const out: Buffer[] = [];
          const prefixer = linePrefixer('5.10 | ', (bytes) => out.push(Buffer.from(bytes)));
          for (const piece of pieces(Buffer.from(lines.map((text) => `${text}\n`).join('')), sizes)) {
            prefixer.push(piece);
            // What was written so far are whole lines.
            const soFar = Buffer.concat(out).toString();
            expect(soFar === '' || soFar.endsWith('\n')).toBe(true);
          }
          prefixer.end();
          expect(Buffer.concat(out).toString()).toBe(lines.map((text) => `5.10 | ${text}\n`).join(''));
        },
      ),
    );
  });

  test('an unfinished last line is finished', () => {
    const out: string[] = [];
    const prefixer = linePrefixer('k | ', (bytes) => out.push(Buffer.from(bytes).toString()));
    prefixer.push(Buffer.from('one\ntwo'));
    expect(out).toEqual(['k | one\n']);
    prefixer.end();
    expect(out).toEqual(['k | one\n', 'k | two\n']);
  });

  test('a collector keeps the beginning', () => {
    const collector = textCollector(5);
    for (const part of ['abc', 'def', 'ghi']) collector.push(Buffer.from(part));
    expect(collector.text()).toBe('abcde');
  });
});
