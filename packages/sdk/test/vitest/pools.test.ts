/** Each pool of vitest with the addon: all pass, and nothing is left behind. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runVitest, sample } from './support/run-vitest.ts';

/** A directory for temporary files of its own: others come and go in the machine's. */
function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'xdptest-pools-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}
const cache = join(sample, 'node_modules/.vite/vitest');

test.for([
  ['forks', '--pool=forks'],
  ['threads', '--pool=threads'],
  ['vmThreads', '--pool=vmThreads'],
  ['without isolation', '--no-isolate'],
  [
    'with coverage',
    '--coverage',
    '--coverage.reporter=json-summary',
    '--coverage.reportsDirectory=.xdptest/coverage',
  ],
])('%s', async ([, ...args]) => {
  const temporary = temporaryDirectory();
  const { code, stdout, stderr } = await runVitest(['pool-', ...args], { env: { TMPDIR: temporary } });
  expect(`${stdout}${stderr}`).toContain('Tests  8 passed (8)');
  expect(code).toBe(0);
  expect(readdirSync(temporary).filter((name) => name.startsWith('xdptest-'))).toEqual([]);
  const drafts = readdirSync(cache, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\d+-\d+\.(o|d|json)$/.test(name),
  );
  expect(drafts).toEqual([]);
});

test('two shards run every file once', async () => {
  const runs = await Promise.all([1, 2].map((shard) => runVitest(['pool-', `--shard=${shard}/2`])));
  expect(runs.map(({ code }) => code)).toEqual([0, 0]);
  const files = runs.map(({ stdout }) => /pool-[ab]\.sample\.ts/.exec(stdout)?.[0]);
  expect(files.toSorted()).toEqual(['pool-a.sample.ts', 'pool-b.sample.ts']);
});

test('the types of the program lie beside it, as they are checked in', () => {
  const declaration = join(sample, 'sample.bpf.d.c.ts');
  expect(existsSync(declaration)).toBe(true);
  expect(readFileSync(declaration, 'utf8')).toContain("readonly programs: 'decide' | 'hop' | 'to_loopback';");
});
