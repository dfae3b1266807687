/** One project of vitest for each kernel: the same files, in a machine. */
import { join } from 'node:path';
import type { TestProjectInlineConfiguration } from 'vitest/config';
import type { CheckedKernel } from './options.ts';
import { createKernelPool } from './pool.ts';

/** Captures of different kernels must not overwrite each other. */
export function capturesOf(captures: string | undefined, kernel: string): string | undefined {
  return captures === undefined ? undefined : join(captures, kernel.replaceAll(/[^\w.-]+/g, '-'));
}

/**
 * The projects of a configuration with these kernels. `host` is a project like any other.
 * @param captures where captures of failing packets are written on the host
 */
export function kernelProjects(
  kernels: readonly CheckedKernel[],
  captures: string | undefined,
): TestProjectInlineConfiguration[] {
  return kernels.map(({ name, patience, ...machine }) => {
    if (machine.kernel === 'host') return { extends: true, test: { name, env: { XDPTEST_KERNEL: 'host' } } };
    const pool = createKernelPool(name, patience, {
      ...machine,
      // Where vitest's own workers are.
      cwd: process.cwd(),
      captures: capturesOf(captures, name),
    });
    // One processor does the work of all in an emulated machine, and vitest runs such projects one after another.
    return { extends: true, test: { name, pool, fileParallelism: false } };
  });
}
