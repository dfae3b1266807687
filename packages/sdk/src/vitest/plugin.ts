/** The plugin for vitest: `plugins: [xdp()]`. */
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
// Adds `test` to the configuration's type.
import type {} from 'vitest/config';
import type { TestProject, TestUserConfig, Vitest } from 'vitest/node';
import { describeValue, expectOptions, invalidArgument } from '../errors.ts';
import type { CompilerOptions } from '../gen/index.ts';
import { HeaderWatcher } from './header-watcher.ts';
import { kernelSummary } from './kernel-summary.ts';
import { MachineKeeper } from './kernels/keeper.ts';
import { type CheckedKernel, checkKernels, type TestKernel } from './kernels/options.ts';
import { kernelPoolOf } from './kernels/pool.ts';
import { capturesOf, kernelProjects } from './kernels/projects.ts';
import { bpfModule, explainFailure, loadBpfModule } from './modules.ts';
import { RunHeader } from './run-header.ts';
import type { XdpSettings } from './settings.ts';

/** Options of {@link xdp}. */
export interface XdpPluginOptions extends CompilerOptions {
  /** Whether to write `lb.bpf.d.c.ts`, the types of `lb.bpf.c`, beside it. Default true. */
  readonly types?: boolean;
  /**
   * What becomes of XDP tests where the process may not load programs: they fail with what to do (the default), or they
   * are skipped, with the reason.
   */
  readonly onUnprivileged?: 'fail' | 'skip';
  /** Shows the logs of tests that pass, too. Default: whether `$XDPTEST_VERBOSE` is set. */
  readonly verbose?: boolean;
  /** Whether the run begins with a line on the kernel. Default true. */
  readonly header?: boolean;
  /** Where captures of failing packets are written, from the root on; false for nowhere. Default `.xdptest`. */
  readonly captures?: string | false;
  /**
   * Runs every test file on each of these kernels, as a project of vitest of the kernel's name: `host`, and others in
   * throw-away machines. `vitest --project debian:5.10` picks one. Default: on this kernel, without a project.
   */
  readonly kernels?: readonly (string | TestKernel)[];
}

const known = [
  'clang',
  'cflags',
  'include',
  'types',
  'onUnprivileged',
  'verbose',
  'header',
  'captures',
  'kernels',
] as const;

/** Our own files as they are imported: never through Vite, where a class could come to exist twice. */
const distFiles = new RegExp(`^(?:file://)?${escaped(fileURLToPath(new URL('..', import.meta.url)))}`);
const setupFile = fileURLToPath(new URL('./setup.js', import.meta.url));

/**
 * The vitest plugin: imports of `*.bpf.c` (compiled by clang, typed by BTF) and `*.bpf.o`, the matchers for every
 * `expect`, and a line on the kernel at the start of each run.
 */
export function xdp(options?: XdpPluginOptions): Plugin {
  const checked = checkOptions(options);
  const { onUnprivileged = 'fail', verbose = isSet(process.env.XDPTEST_VERBOSE), types = true } = checked;
  const watcher = new HeaderWatcher();
  let cacheDir = '';
  let compiler: CompilerOptions = checked;
  const asked = checkKernels(checked.kernels);
  // There are no machines inside of a machine: the whole of vitest runs on another kernel then already.
  const kernels = isInMachine() ? undefined : asked;
  return {
    name: 'xdptest',
    enforce: 'pre',
    config(config) {
      const root = resolve(config.root ?? '.');
      compiler = { ...checked, include: checked.include?.map((directory) => resolve(root, directory)) };
      const captures = checked.captures === false ? undefined : resolve(root, checked.captures ?? '.xdptest');
      const pool = kernelPoolOf(config.test?.pool);
      const xdptest: XdpSettings = {
        onUnprivileged,
        verbose,
        captures: pool === undefined ? captures : capturesOf(captures, pool.name),
      };
      const test: TestUserConfig = {
        setupFiles: [setupFile],
        server: { deps: { external: [distFiles] } },
        provide: { xdptest },
        // Where each test run rewrites the dispatcher, under a lock of the whole machine, files only slow each other.
        ...(config.test?.fileParallelism === undefined && kernelSummary().oneFileAtATime
          ? { fileParallelism: false }
          : {}),
        // Ignored in the projects themselves, which read the same file.
        ...(kernels === undefined ? {} : { projects: kernelProjects(kernels, captures) }),
        ...(pool === undefined ? {} : longerTimeouts(config.test, pool.patience)),
      };
      return { test };
    },
    configResolved(config) {
      cacheDir = join(config.cacheDir, 'xdptest');
    },
    configureVitest({ vitest, project }: { readonly vitest: Vitest; readonly project: TestProject }) {
      const pool = kernelPoolOf(project.config.poolRunner);
      if (pool !== undefined) MachineKeeper.of(vitest).add(pool);
      else if (kernels !== undefined) expectHost(kernels, project.name);
      if (vitest.config.watch) watcher.watch(vitest);
      if (checked.header !== false) RunHeader.addTo(vitest);
    },
    load: {
      filter: { id: bpfModule },
      async handler(id) {
        try {
          const { code, headers, warnings } = await loadBpfModule(id, {
            ...compiler,
            cacheDir,
            types,
            embed: kernelPoolOf(this.environment.getTopLevelConfig().test?.pool) !== undefined,
          });
          watcher.set(id, headers);
          if (warnings !== '') this.warn(warnings);
          return { code, map: null, moduleType: 'js' };
        } catch (cause) {
          const { error, headers } = await explainFailure(id, cause, compiler);
          watcher.add(id, headers);
          throw error;
        }
      },
    },
  };
}

/** vitest's own defaults, which a configuration does not have yet when plugins add to it. */
const defaultTimeouts = { testTimeout: 5000, hookTimeout: 10_000 };

function longerTimeouts(test: TestUserConfig | undefined, patience: number): Partial<TestUserConfig> {
  const { testTimeout = defaultTimeouts.testTimeout, hookTimeout = defaultTimeouts.hookTimeout } = test ?? {};
  return { testTimeout: testTimeout * patience, hookTimeout: hookTimeout * patience };
}

/** A project without a machine runs on this kernel: is that what its name says? */
function expectHost(kernels: readonly CheckedKernel[], name: string): void {
  const found = kernels.find((kernel) => kernel.name === name);
  if (found?.kernel === 'host') return;
  throw invalidArgument(
    found === undefined
      ? `xdp: kernels makes projects of its own and belongs to the configuration as a whole, not to the project ${JSON.stringify(name)}`
      : `xdp: the pool of project ${JSON.stringify(name)} is its machine; leave out --pool, or its tests would run on this kernel`,
  );
}

function checkOptions(options: XdpPluginOptions | undefined): XdpPluginOptions {
  const checked = expectOptions('xdp', options, known);
  const { onUnprivileged, captures, clang } = checked;
  if (onUnprivileged !== undefined && onUnprivileged !== 'fail' && onUnprivileged !== 'skip') {
    throw invalidArgument(
      `xdp: onUnprivileged must be 'fail' or 'skip', got ${describeValue(onUnprivileged)}`,
    );
  }
  if (captures !== undefined && captures !== false && (typeof captures !== 'string' || captures === '')) {
    throw invalidArgument(`xdp: captures must be a directory or false, got ${describeValue(captures)}`);
  }
  if (clang !== undefined && (typeof clang !== 'string' || clang === '')) {
    throw invalidArgument(`xdp: clang must be the name or path of a compiler, got ${describeValue(clang)}`);
  }
  for (const key of ['cflags', 'include'] as const) {
    const list: unknown = checked[key];
    if (list !== undefined && !(Array.isArray(list) && list.every((item) => typeof item === 'string'))) {
      throw invalidArgument(`xdp: ${key} must be an array of strings, got ${describeValue(list)}`);
    }
  }
  for (const key of ['types', 'verbose', 'header'] as const) {
    if (checked[key] !== undefined && typeof checked[key] !== 'boolean') {
      throw invalidArgument(`xdp: ${key} must be true or false, got ${describeValue(checked[key])}`);
    }
  }
  return checked;
}

function isInMachine(): boolean {
  return ![undefined, '', 'host'].includes(process.env.XDPTEST_KERNEL);
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0';
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
