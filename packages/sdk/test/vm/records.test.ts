import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { escapeXml, parseJunit } from '#dist/vm/junit.js';
import { countRecords, countsFromOutput, parseJsonReport, recordsFromFiles } from '#dist/vm/records.js';

describe("what vitest's reporters write", () => {
  let directory: string;
  const vitest = join(import.meta.dirname, '../../node_modules/.bin/vitest');
  beforeAll(() => {
    // Inside the package, so that vitest and our reporter are found; no .test.ts, so that nobody else runs them.
    directory = mkdtempSync(join(import.meta.dirname, 'records-'));
    writeFileSync(
      join(directory, 'a.test.mjs'),
      `import { describe, expect, test } from 'vitest';
describe('outer <&>', () => {
  test('good', () => {});
  test('bad', () => expect(1).toBe(2));
  test('not here', ({ skip }) => skip('this kernel has no context (needs 5.15)'));
  test.todo('later');
});`,
    );
    writeFileSync(
      join(directory, 'vitest.config.mjs'),
      "export default { test: { include: ['*.test.mjs'] } };\n",
    );
    writeFileSync(join(directory, 'b.test.mjs'), "throw new Error('does not load');\n");
    const run = spawnSync(
      vitest,
      [
        ...['run', '--root', directory],
        ...['--reporter=xdptest/vm/vitest-reporter', '--reporter=json', '--reporter=junit'],
        ...[`--outputFile.json=${directory}/vitest.json`, `--outputFile.junit=${directory}/vitest.xml`],
      ],
      { cwd: directory, env: { ...process.env, XDPTEST_JSON: `${directory}/own.json` }, encoding: 'utf8' },
    );
    expect(run.status, run.stderr + run.stdout).toBe(1);
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  const statuses = { good: 'passed', bad: 'failed', 'not here': 'skipped', later: 'skipped' };

  test('our own reporter tells why a test was skipped', () => {
    const records = parseJsonReport(readFileSync(`${directory}/own.json`, 'utf8')) ?? [];
    for (const [name, status] of Object.entries(statuses)) {
      expect(records.find((record) => record.name === `outer <&> > ${name}`)).toMatchObject({ status });
    }
    expect(records.find((record) => record.name.endsWith('not here'))?.reason).toBe(
      'this kernel has no context (needs 5.15)',
    );
    expect(records.find((record) => record.name.endsWith('bad'))?.message).toContain('expected 1 to be 2');
    expect(records.find((record) => record.file.endsWith('b.test.mjs'))).toMatchObject({ status: 'failed' });
    expect(countRecords(records)).toEqual({ passed: 1, failed: 2, skipped: 2 });
  });

  test("vitest's JSON is read, with the file that does not load", () => {
    const records = parseJsonReport(readFileSync(`${directory}/vitest.json`, 'utf8')) ?? [];
    for (const [name, status] of Object.entries(statuses)) {
      expect(records.find((record) => record.name === `outer <&> > ${name}`)).toMatchObject({ status });
    }
    expect(records.find((record) => record.file.endsWith('b.test.mjs'))).toMatchObject({
      status: 'failed',
      message: 'does not load',
    });
    expect(countRecords(records)).toEqual({ passed: 1, failed: 2, skipped: 2 });
  });

  test("vitest's JUnit is read", () => {
    const records = parseJunit(readFileSync(`${directory}/vitest.xml`, 'utf8')) ?? [];
    for (const [name, status] of Object.entries(statuses)) {
      expect(records.find((record) => record.name === `outer <&> > ${name}`)).toMatchObject({ status });
    }
    expect(countRecords(records)).toEqual({ passed: 1, failed: 2, skipped: 2 });
  });
});

describe('JUnit of others', () => {
  test("node's own runner", () => {
    const directory = mkdtempSync(join(tmpdir(), 'junit-'));
    writeFileSync(
      join(directory, 'a.test.mjs'),
      `import test from 'node:test';
test('good <&>', () => {});
test('bad', () => { throw new Error('no \\u{1f600} <good>'); });
test('skipped', { skip: 'for & because' }, () => {});`,
    );
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=junit', 'a.test.mjs'], {
      cwd: directory,
      encoding: 'utf8',
      env,
    });
    rmSync(directory, { recursive: true });
    const records = parseJunit(stdout) ?? [];
    expect(records.map(({ name, status }) => [name, status])).toEqual([
      ['good <&>', 'passed'],
      ['bad', 'failed'],
      ['skipped', 'skipped'],
    ]);
    expect(records[1]?.message).toContain('no \u{1f600} <good>');
    expect(records[2]?.reason).toBe('for & because');
  });

  test('errors, CDATA, single quotes, comments, nested suites', () => {
    const xml = `<?xml version="1.0"?><!-- a <testcase/> --><testsuites><testsuite name='pkg'><testsuite name="sub">
      <testcase name='one>two' classname="c" time="1.5"><error message="m"><![CDATA[a < b]]></error></testcase>
      <testcase name="three"><skipped>later</skipped><system-out>no matter</system-out></testcase>
      <testcase name="four"><system-out>no failure</system-out></testcase></testsuite></testsuite></testsuites>`;
    const passed = { status: 'passed', reason: '', message: '', durationMs: 0 };
    expect(parseJunit(xml)).toEqual([
      { file: 'c', name: 'one>two', status: 'failed', reason: '', message: 'm\na < b', durationMs: 1500 },
      { ...passed, file: 'sub', name: 'three', status: 'skipped', reason: 'later' },
      { ...passed, file: 'sub', name: 'four' },
    ]);
  });

  test('control characters cannot get into XML', () => {
    expect(escapeXml('a\u0000\u001b[31m<b> & "c"\ud800')).toBe('a[31m&lt;b&gt; &amp; &quot;c&quot;');
  });

  test('what is none is none', () => {
    expect(parseJunit('<html></html>')).toBeUndefined();
    expect(parseJsonReport('{"a":1}')).toBeUndefined();
    expect(parseJsonReport('not json')).toBeUndefined();
    expect(recordsFromFiles(new Map([['notes.txt', Buffer.from('x')]]))).toBeUndefined();
  });

  test('JSON goes before JUnit, and a broken file does not hide a good one', () => {
    const own = Buffer.from('{"tests":[{"name":"a","status":"passed"}]}');
    const xml = Buffer.from('<testsuite><testcase name="x"/></testsuite>');
    const files = new Map([
      ['junit.xml', xml],
      ['report.json', own],
    ]);
    expect(recordsFromFiles(files)?.map((record) => record.name)).toEqual(['a']);
    files.set('report.json', Buffer.from('{'));
    expect(recordsFromFiles(files)?.map((record) => record.name)).toEqual(['x']);
  });
});

describe('counts from a closing line', () => {
  test.for([
    ['5 passed, 1 failed', { passed: 5, failed: 1, skipped: 0 }],
    ['total: 5 passed, 1 failed, 2 skipped', { passed: 5, failed: 1, skipped: 2 }],
    [' Tests  1 failed | 3 passed | 2 skipped | 1 todo (7)', { passed: 3, failed: 1, skipped: 3 }],
    [
      '\u001b[2m      Tests \u001b[22m \u001b[1m\u001b[32m214 passed\u001b[39m\u001b[22m\u001b[90m (214)\u001b[39m',
      { passed: 214, failed: 0, skipped: 0 },
    ],
    ['# tests 3\n# pass 2\n# fail 0\n# skipped 1\n# todo 0', { passed: 2, failed: 0, skipped: 1 }],
    ['ℹ tests 3\nℹ pass 2\nℹ fail 1\nℹ skipped 0', { passed: 2, failed: 1, skipped: 0 }],
    ['nothing here: 5 passed, 1 failed, who knows', undefined],
    ['', undefined],
  ] as const)('%j', ([text, counts]) => {
    expect(countsFromOutput(`before\n${text}\nafter`)).toEqual(counts);
  });

  test("node's own runner, for real", () => {
    const directory = mkdtempSync(join(tmpdir(), 'counts-'));
    writeFileSync(join(directory, 'a.test.mjs'), "import test from 'node:test'; test('a', () => {});");
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const out = execFileSync(process.execPath, ['--test', 'a.test.mjs'], {
      cwd: directory,
      encoding: 'utf8',
      env,
    });
    rmSync(directory, { recursive: true });
    expect(countsFromOutput(out)).toEqual({ passed: 1, failed: 0, skipped: 0 });
  });
});
