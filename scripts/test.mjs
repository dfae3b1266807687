/**
 * `npm test`: lint, types and every test. Ends with one line of counts; whatever else goes wrong (a lint step, a
 * file of tests that does not load, a run that takes too long) is counted as failed too.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inGuest, vitestCommand } from './guest.mjs';
import { otherKernels } from './other-kernels.mjs';
import { privileged } from './privileges.mjs';
import { root, run } from './run.mjs';
import { setUp } from './setup.mjs';

const node = process.execPath;
const bin = (path) => join(root, 'node_modules', path);
const failures = [];
const records = [];
/** Where whoever called this wants a report of everything, as `xdptest vm` does. */
const wantedReport = process.env.XDPTEST_JSON;

function step(name, command, options) {
  const started = Date.now();
  console.log(`\n== ${name}`);
  const ok = run(command, options);
  console.log(`== ${name}: ${ok ? 'ok' : 'failed'} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
  return ok;
}

/** Options of tsc: what is well typed and has not changed since is not checked again. */
function remembering(name) {
  return ['--incremental', '--tsBuildInfoFile', join(root, `node_modules/.cache/tsc/${name}.tsbuildinfo`)];
}

function check(name, command, options) {
  if (!step(name, command, options)) failures.push(name);
}

/** Runs the tests of one package and collects what became of each. */
function tests(name, directory) {
  const scratch = mkdtempSync(join(tmpdir(), 'xdptest-report-'));
  const report = join(scratch, 'report.json');
  // Also written by vitest itself under sudo: the directory is the user's own either way.
  process.env.XDPTEST_JSON = report;
  const ok = step(name, privileged(vitestCommand(), 'test'), { cwd: join(root, directory), minutes: 35 });
  delete process.env.XDPTEST_JSON;
  let seen = [];
  try {
    seen = JSON.parse(readFileSync(report, 'utf8')).tests;
  } catch {
    console.error(`${name}: no report was written`);
  }
  rmSync(scratch, { recursive: true, force: true });
  records.push(...seen);
  if (!ok && !seen.some(({ status }) => status === 'failed')) failures.push(name);
  if (seen.length === 0) failures.push(`${name} ran no test`);
}

// Set-up ends the process when something is missing that it cannot mend: that is a failure to count, too.
const onExit = () => console.log('0 passed, 1 failed');
process.once('exit', onExit);
setUp({ tests: true });
process.off('exit', onExit);

check('lint', [bin('.bin/biome'), 'check', '--error-on-warnings', '.']);
check('unused files and dependencies', [bin('.bin/knip')]);
check('types of the package', [
  node,
  bin('typescript/bin/tsc'),
  '-p',
  'packages/sdk',
  '--noEmit',
  ...remembering('sdk'),
]);
check('types of the public API', [
  node,
  bin('typescript/bin/tsc'),
  '-p',
  'packages/sdk/test/types',
  ...remembering('api'),
]);
check('types of the examples', [
  node,
  bin('typescript/bin/tsc'),
  '-p',
  'packages/examples',
  '--noEmit',
  ...remembering('examples'),
]);
check('BPF programs of the tests', ['make', '-s', '-C', 'packages/sdk/test/bpf']);
tests('tests of the package', 'packages/sdk');
tests('tests of the examples', 'packages/examples');
if (!inGuest) {
  const { tests: seen, failure } = await otherKernels(step);
  records.push(...seen);
  if (failure !== undefined) failures.push(failure);
}

const withStatus = (wanted) => records.filter(({ status }) => status === wanted);
const skipped = withStatus('skipped');
console.log('');
for (const { name, reason } of skipped) console.log(`skipped: ${name}${reason === '' ? '' : ` (${reason})`}`);
for (const { name } of withStatus('failed')) console.log(`failed: ${name}`);
for (const name of failures) console.log(`failed: ${name}`);
const failed = withStatus('failed').length + failures.length;
console.log(
  `${withStatus('passed').length} passed, ${failed} failed${skipped.length === 0 ? '' : `, ${skipped.length} skipped`}`,
);
if (wantedReport !== undefined) {
  const steps = failures.map((name) => ({ name, status: 'failed', message: 'see the output' }));
  writeFileSync(wantedReport, JSON.stringify({ tests: [...records, ...steps] }));
}
process.exitCode = failed === 0 ? 0 : 1;
