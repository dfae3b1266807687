/** The package as its users get it: packed, judged by publint and attw, installed into empty folders and used there. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { probeKernel } from 'xdptest';
import { patience, vitestLimits } from '../support/emulation.ts';
import { cleanEnvironment, sample } from '../vitest/support/run-vitest.ts';

const sdk = fileURLToPath(new URL('../..', import.meta.url));
const workspace = fileURLToPath(new URL('../../../..', import.meta.url));
const versions = (
  JSON.parse(readFileSync(join(sdk, 'package.json'), 'utf8')) as { devDependencies: Record<string, string> }
).devDependencies;
const { packageManager } = JSON.parse(readFileSync(join(workspace, 'package.json'), 'utf8')) as {
  packageManager: string;
};
const peers = ['vitest', 'vite'].map((name) => `${name}@${versions[name]}`);

let directory = '';
let tarball = '';

interface Result {
  readonly code: number | null;
  readonly output: string;
}

function run(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): Result {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    timeout: patience(120_000),
    env: { ...cleanEnvironment(), COREPACK_ENABLE_DOWNLOAD_PROMPT: '0', ...env },
  });
  if (error !== undefined) throw error;
  return { code: status, output: `${stdout}${stderr}` };
}

/** Without a registry there is nothing to install the peers from. */
function isOffline({ code, output }: Result): boolean {
  return (
    code !== 0 &&
    /ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|ECONNRESET|ERR_PNPM_META_FETCH_FAIL/.test(output)
  );
}

function emptyProject(name: string): string {
  const project = join(directory, name);
  mkdirSync(project);
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ private: true, type: 'module', packageManager }),
  );
  return project;
}

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'xdptest-package-'));
  const packed = run('corepack', ['pnpm', 'pack', '--json', '--pack-destination', directory], sdk);
  tarball = (JSON.parse(packed.output.slice(packed.output.indexOf('{'))) as { filename: string }).filename;
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('it holds what it needs, and nothing of the workshop', () => {
  const files = run('tar', ['-tzf', tarball], directory).output.trim().split('\n');
  for (const file of ['README.md', 'LICENSE', 'bin/xdptest.js', 'dist/index.js', 'dist/vitest/index.d.ts']) {
    expect(files).toContain(`package/${file}`);
  }
  expect(files.some((file) => /^package\/prebuilds\/linux-\w+\/xdptest\.node$/.test(file))).toBe(true);
  expect(files.filter((file) => /^package\/(src|test|native|bench)\//.test(file))).toEqual([]);
  expect(files.filter((file) => /binding\.gyp|\.c$/.test(file))).toEqual([]);
});

test('publint and attw find nothing', () => {
  const bin = (name: string) => join(sdk, 'node_modules/.bin', name);
  expect(run(bin('publint'), [tarball, '--strict'], sdk)).toMatchObject({ code: 0 });
  expect(run(bin('attw'), [tarball, '--profile', 'esm-only'], sdk)).toMatchObject({ code: 0 });
});

test('npm installs it into an empty folder, where clang is the only compiler, and a suite runs', ({
  skip,
}) => {
  const project = emptyProject('npm');
  const npm = realpathSync(run('sh', ['-c', 'command -v npm'], directory).output.trim());
  // A path with node, clang and a shell; no cc, no make, no node-gyp.
  const bin = join(directory, 'bin');
  mkdirSync(bin);
  for (const name of ['clang', 'sh', 'env'])
    symlinkSync(run('sh', ['-c', `command -v ${name}`], directory).output.trim(), join(bin, name));
  symlinkSync(process.execPath, join(bin, 'node'));
  const env = { PATH: bin };
  const installed = run(
    process.execPath,
    [npm, 'install', '--no-audit', '--no-fund', '--prefer-offline', tarball, ...peers],
    project,
    env,
  );
  if (isOffline(installed)) skip('no registry to install vitest from');
  expect(installed).toMatchObject({ code: 0 });
  for (const name of ['sample.bpf.c', 'sample.h', 'pool-a.sample.ts', 'vitest.config.ts'])
    cpSync(join(sample, name), join(project, name));
  const suite = run(join(project, 'node_modules/.bin/vitest'), ['run'], project, env);
  expect(suite.output).toContain('Tests  7 passed (7)');
  expect(suite.code).toBe(0);
  expect(suite.output).not.toMatch(/warn|deprecated|missing source/i);
  expect(
    run(join(project, 'node_modules/.bin/xdptest'), ['gen', 'sample.bpf.c', '--check'], project, env),
  ).toMatchObject({ code: 0 });
});

test('pnpm installs it, and the example works, copied out alone', ({ skip }) => {
  const project = join(directory, 'load-balancer');
  cpSync(join(workspace, 'packages/examples/load-balancer'), project, {
    recursive: true,
    filter: (path) => !/node_modules|\.o$/.test(path),
  });
  const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  manifest.devDependencies.xdptest = `file:${tarball}`;
  writeFileSync(join(project, 'package.json'), JSON.stringify({ ...manifest, packageManager }));
  const installed = run('corepack', ['pnpm', 'install', '--prefer-offline', '--ignore-workspace'], project);
  if (isOffline(installed)) skip('no registry to install vitest from');
  expect(installed).toMatchObject({ code: 0 });
  expect(run('make', [], project)).toMatchObject({ code: 0 });
  const suite = run(join(project, 'node_modules/.bin/vitest'), ['run', ...vitestLimits], project);
  // One test wants 216 bytes of metadata, which kernels before 6.18 may refuse.
  const skipped = probeKernel().limits.maxMetadataBytes < 216 ? ' \\| 1 skipped' : '';
  expect(suite.output).toMatch(new RegExp(`Tests {2}\\d+ passed${skipped} \\(\\d+\\)`));
  expect(suite.code).toBe(0);
  // The declarations of the installed package are enough for the example's own types.
  expect(run(join(project, 'node_modules/.bin/tsc'), ['-p', '.', '--noEmit'], project)).toMatchObject({
    code: 0,
  });
});
