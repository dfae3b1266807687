/** The plugin for vitest: `plugins: [xdp()]`. */
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
// Adds `test` to the configuration's type.
import type {} from 'vitest/config';
import type { TestUserConfig, Vitest } from 'vitest/node';
import { describeValue, expectOptions, invalidArgument } from '../errors.ts';
import type { CompilerOptions } from '../gen/index.ts';
import { HeaderWatcher } from './header-watcher.ts';
import { kernelSummary } from './kernel-summary.ts';
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
  return {
    name: 'xdptest',
    enforce: 'pre',
    config(config) {
      const root = resolve(config.root ?? '.');
      compiler = { ...checked, include: checked.include?.map((directory) => resolve(root, directory)) };
      const { captures = '.xdptest' } = checked;
      const xdptest: XdpSettings = {
        onUnprivileged,
        verbose,
        captures: captures === false ? undefined : resolve(root, captures),
      };
      const test: TestUserConfig = {
        setupFiles: [setupFile],
        server: { deps: { external: [distFiles] } },
        provide: { xdptest },
        // Where each test run rewrites the dispatcher, under a lock of the whole machine, files only slow each other.
        ...(config.test?.fileParallelism === undefined && kernelSummary().oneFileAtATime
          ? { fileParallelism: false }
          : {}),
      };
      return { test };
    },
    configResolved(config) {
      cacheDir = join(config.cacheDir, 'xdptest');
    },
    configureVitest({ vitest }: { readonly vitest: Vitest }) {
      if (vitest.config.watch) watcher.watch(vitest);
      if (checked.header !== false) RunHeader.addTo(vitest);
    },
    load: {
      filter: { id: bpfModule },
      async handler(id) {
        try {
          const { code, headers, warnings } = await loadBpfModule(id, { ...compiler, cacheDir, types });
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

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '0';
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
