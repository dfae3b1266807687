/** The tests of the real driver on Debian's 6.1 in a virtual machine, since few kernels of build machines have it. */
import { describe, expect, test } from 'vitest';
import { runInKernel } from 'xdptest/vm';

const KERNEL = '6.1';
/** Two alone; emulation on a busy machine takes longer. */
const MINUTES = 9;
/** Emulated beside other work, a machine now and then misses the moment in which a link partner must answer. */
const patience = { retry: 2, timeout: (MINUTES + 4) * 60_000 };
const directory = new URL('..', import.meta.url).pathname;

describe(`XDP on a bond, Linux ${KERNEL}`, () => {
  test('all tests of bond.test.ts pass, and none is skipped', patience, async ({ skip }) => {
    skip(![undefined, 'host'].includes(process.env.XDPTEST_KERNEL), 'no machines inside of a machine');
    const run = await runInKernel({
      kernel: KERNEL,
      cwd: directory,
      command: [
        process.execPath,
        'node_modules/vitest/vitest.mjs',
        'run',
        '--reporter=default',
        '--reporter=../sdk/dist/vm/vitest-reporter.js',
        'bonding/bond.test.ts',
      ],
      modules: ['veth', 'bonding'],
      timeoutMs: MINUTES * 60_000,
    });
    // Without QEMU, or without a way to fetch a kernel, there is nothing to test on.
    if (run.outcome === 'unavailable') skip(run.reason);
    const failures = run.tests.filter(({ status }) => status === 'failed');
    expect(failures).toEqual([]);
    expect(run, run.stdout + run.stderr).toMatchObject({ outcome: 'passed' });
    expect(run.counts).toMatchObject({ failed: 0, skipped: 0 });
    expect(run.counts!.passed).toBeGreaterThanOrEqual(10);
  });
});
