/** Loads the native addon, whose functions native/addon.ts names. The only door to both. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { XdpError } from './errors.ts';
import type { Native } from './native/addon.ts';
import type { NativeRun } from './native/runs.ts';

export type * from './native/addon.ts';
export type * from './native/handle.ts';
export type * from './native/live.ts';
export type * from './native/objects.ts';
export type * from './native/runs.ts';

/** Where `testRun` writes what came back, in a Uint32Array. */
export const RUN = {
  errno: 0,
  verdict: 1,
  outputSize: 2,
  durationNs: 3,
  retries: 4,
  data: 5,
  dataEnd: 6,
  ingressIfindex: 7,
  rxQueue: 8,
  /** Why the thread could not be bound to the CPU asked for, so that nothing ran; 0 otherwise. */
  pinErrno: 9,
  length: 10,
} as const;

const settings = new Float64Array(9);

/** One test run; what came back is in `result` afterwards, see {@link RUN}. */
export function testRun(run: NativeRun, result: Uint32Array): void {
  // In the order of test_run.c.
  settings[0] = run.metadata ?? 0;
  settings[1] = run.repeat ?? 1;
  settings[2] = run.ingressIfindex ?? 0;
  settings[3] = run.rxQueue ?? 0;
  settings[4] = run.useContext ?? 1;
  settings[5] = run.timeoutMs ?? 0;
  settings[6] = run.cpu ?? -1;
  settings[7] = run.flags ?? 0;
  settings[8] = run.batchSize ?? 0;
  native().testRun(run.program, run.packet, run.output, settings, result);
}

const prebuilds = new URL('../prebuilds/', import.meta.url);
let loaded: Native | undefined;

/**
 * The addon, loaded at the first use, so that importing the package works on every system.
 * @throws XdpError `XDP_UNSUPPORTED_PLATFORM`, `XDP_LIBRARY_MISSING`
 */
export function native(): Native {
  loaded ??= load(process.platform, process.arch);
  return loaded;
}

/** The compiled BPF object `name` that ships with the package. */
export function bundledBpfObject(name: string): string {
  return fileURLToPath(new URL(`bpf/${name}.bpf.o`, prebuilds));
}

/** Exported for tests of its errors. */
export function load(platform: string, arch: string): Native {
  if (platform !== 'linux') {
    throw new XdpError(
      'XDP_UNSUPPORTED_PLATFORM',
      `XDP programs run in the Linux kernel, and this is ${platform}: run the tests on Linux (a virtual machine or a CI runner will do)`,
    );
  }
  const path = fileURLToPath(new URL(`linux-${arch}/xdptest.node`, prebuilds));
  if (!existsSync(path)) {
    throw new XdpError(
      'XDP_UNSUPPORTED_PLATFORM',
      `there is no native addon for linux-${arch} in this installation (looked for ${path}): build it there with \`make -C native\` in a checkout of the project`,
    );
  }
  try {
    return createRequire(import.meta.url)(path) as Native;
  } catch (cause) {
    throw addonLoadError(path, cause);
  }
}

/** What the dynamic linker says, turned into what to do. Exported for tests. */
export function addonLoadError(path: string, cause: unknown): XdpError {
  const text = cause instanceof Error ? cause.message : String(cause);
  const library = /(lib[\w+-]+\.so[.\d]*): cannot open shared object file/.exec(text)?.[1];
  if (library !== undefined) {
    return new XdpError(
      'XDP_LIBRARY_MISSING',
      `the native addon needs ${library}, which is not installed: apt-get install libbpf1 (Debian, Ubuntu), dnf install libbpf (Fedora, RHEL), apk add libbpf (Alpine)`,
      { cause },
    );
  }
  if (/wrong ELF class|invalid ELF header|cannot open shared object file: .*machine/.test(text)) {
    return new XdpError('XDP_UNSUPPORTED_PLATFORM', `${path} is no addon for this machine: ${text}`, {
      cause,
    });
  }
  if (/version `?(GLIBC|LIBBPF)_[\d.]+'? not found/.test(text)) {
    return new XdpError(
      'XDP_LIBRARY_MISSING',
      `a system library is older than the native addon needs: ${text}`,
      {
        cause,
      },
    );
  }
  return new XdpError('XDP_UNSUPPORTED_PLATFORM', `the native addon ${path} cannot be loaded: ${text}`, {
    cause,
  });
}
