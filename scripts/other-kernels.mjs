/**
 * The part of the tests that depends on the kernel, on the oldest kernels that matter: in machines of `xdptest vm`, two at
 * once. What else there is of tests takes hours under emulation; docs/other-kernels.md says how to run it.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vitestCommand } from './guest.mjs';
import { root } from './run.mjs';

const kernels = ['5.10', '6.1'];
/** Each file has some of what differs: facts, limits, contexts, both engines, parking, maps, errors of a load. */
const files = [
  'test/kernel/',
  'test/object/',
  'test/batch/differential.test.ts',
  'test/batch/options.test.ts',
  'test/batch/redirects.test.ts',
  'test/run/context.test.ts',
  'test/run/outputs.test.ts',
  'test/run/parking.test.ts',
  'test/run/repeat.test.ts',
  'test/run/sizes.test.ts',
];

/** Runs them; `step` shows a command and says whether it ended well. */
export async function otherKernels(step) {
  const name = `tests that touch the kernel, on ${kernels.join(' and ')}`;
  const { machineObstacle } = await import(join(root, 'packages/sdk/dist/vm/kernels.js'));
  const reason = await machineObstacle(kernels);
  if (reason !== undefined) {
    console.log(`\n== ${name}: not run (${reason})`);
    const skipped = kernels.map((kernel) => ({ name: `[${kernel}] ${name}`, status: 'skipped', reason }));
    return { tests: skipped, failure: undefined };
  }
  const scratch = mkdtempSync(join(tmpdir(), 'xdptest-report-'));
  const report = join(scratch, 'report.json');
  const machines = ['--kernel', kernels.join(), '--jobs', '2', '--timeout', '900', '--json', report];
  const command = [
    process.execPath,
    join(root, 'packages/sdk/bin/xdptest.js'),
    ...['vm', ...machines, '--'],
    ...vitestCommand({ emulated: true }),
    // An emulated machine is at times slow beyond all patience; what is wrong fails twice.
    '--retry=1',
    ...files,
  ];
  const ok = step(name, command, { cwd: join(root, 'packages/sdk'), minutes: 35 });
  let tests = [];
  try {
    const { kernels: runs } = JSON.parse(readFileSync(report, 'utf8'));
    tests = runs.flatMap(({ tests }) => tests);
  } catch {
    console.error(`${name}: no report was written`);
  }
  rmSync(scratch, { recursive: true, force: true });
  // A machine that breaks, or is too slow, has a failed test of its own in the report.
  const isTold = tests.some(({ status }) => status === 'failed');
  return { tests, failure: (ok || isTold) && tests.length > 0 ? undefined : name };
}
