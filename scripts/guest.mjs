/** A machine of `xdptest vm`: nothing can be fetched there, and under emulation everything takes some 25 times longer. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

export const inGuest = ![undefined, 'host'].includes(process.env.XDPTEST_KERNEL);

/** By how much a limit of time is longer than on the host. */
export const patience = inGuest ? 12 : 1;

/**
 * vitest, with the reporter that knows the reasons of skips. Under emulation the start of a process for each file of tests
 * takes as long as its tests, so all share one.
 */
export function vitestCommand({ emulated = inGuest } = {}) {
  return [
    process.execPath,
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    ...(emulated ? ['--no-isolate'] : []),
    '--reporter=default',
    `--reporter=${join(root, 'packages/sdk/dist/vm/vitest-reporter.js')}`,
  ];
}
