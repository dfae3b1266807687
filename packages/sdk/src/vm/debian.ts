/** Debian's kernels: which there are, which one a name means, and how one gets into the cache. Nothing is installed. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { XdpError } from '../errors.ts';
import { type Available, availablePackages, downloadPackages, updateLists } from './apt.ts';
import { cacheDirectory, withCacheLock, withWorkDirectory } from './cache.ts';
import { type KernelImage, readImageRelease } from './image.ts';
import { requireBusybox, requireTool, runTool } from './tools.ts';

/** A kernel that Debian offers, or that is in the cache. */
export interface DebianKernel {
  /** What `uname -r` says: `6.1.0-57-amd64`. */
  readonly release: string;
  /** The version of its packages: `6.1.192-3`. */
  readonly version: string;
  readonly suites: readonly string[];
  readonly packages: readonly string[];
}

const PACKAGES = '^linux-(image|binary|modules|base)-[0-9]+\\.[0-9]+\\.[0-9].*-amd64$';

/** Orders Debian versions closely enough for kernels: numbers by value, and `~` before everything, even the end. */
export function compareVersions(a: string, b: string): number {
  const split = (text: string): string[] => text.match(/\d+|~|[^\d~]+/g) ?? [];
  const [left, right] = [split(a), split(b)];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const [x, y] = [left[i], right[i]];
    if (x === y) continue;
    if (x === '~' || y === '~') return x === '~' ? -1 : 1;
    if (x === undefined || y === undefined) return x === undefined ? -1 : 1;
    const [m, n] = [Number(x), Number(y)];
    if (Number.isNaN(m) || Number.isNaN(n)) return x < y ? -1 : 1;
    if (m !== n) return m - n;
  }
  return 0;
}

/** Puts packages together to kernels that can be had whole, newest first. */
export function kernelsFromPackages(available: readonly Available[]): DebianKernel[] {
  const byName = new Map<string, Available[]>();
  for (const entry of available) byName.set(entry.package, [...(byName.get(entry.package) ?? []), entry]);
  const kernels: DebianKernel[] = [];
  for (const [name, versions] of byName) {
    const release = /^linux-image-(\d+\.\d+\.\d+.*-amd64)$/.exec(name)?.[1];
    // The cloud kernels have no 9p; of the real-time ones nobody has asked.
    if (release === undefined || /-(cloud|rt)-amd64$/.test(release)) continue;
    for (const version of new Set(versions.map((entry) => entry.version))) {
      const suites = versions.filter((entry) => entry.version === version).map((entry) => entry.suite);
      const has = (part: string): boolean =>
        byName.get(`linux-${part}-${release}`)?.some((entry) => entry.version === version) ?? false;
      // From 6.19 linux-image-* is empty and depends on the other three. The archive drops the modules (they come
      // from another source package) earlier than the signed image: such a kernel cannot be had any more.
      const isSplit = byName.has(`linux-binary-${release}`);
      if (isSplit && !(has('binary') && has('modules'))) continue;
      const parts = isSplit ? ['binary', 'modules', ...(has('base') ? ['base'] : [])] : ['image'];
      kernels.push({ release, version, suites, packages: parts.map((part) => `linux-${part}-${release}`) });
    }
  }
  return kernels.sort((a, b) => compareVersions(b.version, a.version));
}

/** Does `wanted` - a release of Debian, a series, a version, an exact release - mean this kernel? */
export function matchesKernel(kernel: DebianKernel, wanted: string): boolean {
  if (/^[a-z]/.test(wanted)) {
    return kernel.suites.some((suite) => suite === wanted || suite === `${wanted}-security`);
  }
  if (kernel.release === wanted || kernel.version === wanted) return true;
  // 5.10 is not 5.101, and 6.1 is not 6.12.
  return [kernel.version, kernel.release].some(
    (text) => text.startsWith(wanted) && !/^\d/.test(text.slice(wanted.length)),
  );
}

const kernelsDirectory = (): string => cacheDirectory('kernels');

/** The kernels in the cache, newest first. */
export function cachedKernels(): DebianKernel[] {
  return readdirSync(kernelsDirectory())
    .map((name) => join(kernelsDirectory(), name, 'kernel.json'))
    .filter((path) => existsSync(path))
    .map((path) => JSON.parse(readFileSync(path, 'utf8')) as DebianKernel)
    .sort((a, b) => compareVersions(b.version, a.version));
}

function cachedImage(name: string, kernel: DebianKernel): KernelImage {
  const directory = join(kernelsDirectory(), kernel.release);
  const modules = join(directory, 'lib/modules', kernel.release);
  return { name, release: kernel.release, vmlinuz: join(directory, 'vmlinuz'), modules };
}

/** What Debian offers now, newest first; `complaints` is what apt had to say about suites that it could not read. */
export async function offeredKernels(
  refresh = false,
): Promise<{ kernels: DebianKernel[]; complaints: string }> {
  return withCacheLock('apt', async () => {
    const complaints = await updateLists(refresh);
    return { kernels: kernelsFromPackages(await availablePackages(PACKAGES)), complaints };
  });
}

/**
 * Unpacks kernel packages into `directory`: vmlinuz, lib/modules/<release>, and the indexes of modprobe, so that the
 * guest's kernel loads what it needs by itself.
 */
export async function unpackKernel(debs: readonly string[], directory: string): Promise<string> {
  const raw = join(directory, 'raw');
  for (const deb of debs) await runTool(requireTool('dpkg-deb'), ['-x', deb, raw]);
  const base = ['usr/lib/modules', 'lib/modules']
    .map((path) => join(raw, path))
    .find((path) => existsSync(path));
  const [release] = base === undefined ? [] : readdirSync(base);
  if (base === undefined || release === undefined) {
    throw new XdpError(
      'XDP_KERNEL_UNAVAILABLE',
      `${debs.join(', ')}: no kernel package (lib/modules is missing)`,
    );
  }
  const image = [join(raw, 'boot', `vmlinuz-${release}`), join(base, release, 'vmlinuz')].find((path) =>
    existsSync(path),
  );
  if (image === undefined) {
    throw new XdpError(
      'XDP_KERNEL_UNAVAILABLE',
      `${debs.join(', ')}: no vmlinuz in there (a package of modules alone?)`,
    );
  }
  renameSync(image, join(directory, 'vmlinuz'));
  mkdirSync(join(directory, 'lib/modules'), { recursive: true });
  renameSync(join(base, release), join(directory, 'lib/modules', release));
  rmSync(raw, { recursive: true });
  // Half of the megabytes, and nothing that a machine without screen and sound can use.
  for (const useless of ['sound', 'drivers/gpu', 'drivers/media', 'drivers/staging']) {
    rmSync(join(directory, 'lib/modules', release, 'kernel', useless), { recursive: true, force: true });
  }
  await runTool(requireBusybox(), ['depmod', '-b', directory, release]);
  return readImageRelease(join(directory, 'vmlinuz'));
}

async function fetchKernel(kernel: DebianKernel): Promise<void> {
  const final = join(kernelsDirectory(), kernel.release);
  const cached = join(final, 'kernel.json');
  if (
    existsSync(cached) &&
    (JSON.parse(readFileSync(cached, 'utf8')) as DebianKernel).version === kernel.version
  ) {
    return;
  }
  await withWorkDirectory(kernelsDirectory(), async (work) => {
    const debs = join(work, 'debs');
    mkdirSync(debs);
    const wanted = kernel.packages.map((name) => ({ package: name, version: kernel.version, suite: '' }));
    await downloadPackages(wanted, debs);
    const ready = join(work, 'kernel');
    mkdirSync(ready);
    const files = readdirSync(debs).map((name) => join(debs, name));
    await unpackKernel(files, ready);
    writeFileSync(join(ready, 'kernel.json'), `${JSON.stringify(kernel, null, 2)}\n`);
    rmSync(final, { recursive: true, force: true });
    renameSync(ready, final);
  });
}

/**
 * The kernel that `wanted` means: from the cache if one there fits, and else (or with `refresh`) the newest that
 * Debian has. What is cached stays as it is: versions vanish from the archive within weeks.
 */
export async function resolveDebian(name: string, wanted: string, refresh = false): Promise<KernelImage> {
  const cached = cachedKernels().find((kernel) => matchesKernel(kernel, wanted));
  if (cached !== undefined && !refresh) return cachedImage(name, cached);
  let { kernels, complaints } = await offeredKernels(refresh);
  let chosen = kernels.find((kernel) => matchesKernel(kernel, wanted));
  if (chosen === undefined && !refresh) {
    ({ kernels, complaints } = await offeredKernels(true));
    chosen = kernels.find((kernel) => matchesKernel(kernel, wanted));
  }
  if (chosen === undefined) {
    const series = new Set(kernels.map((kernel) => /^\d+\.\d+/.exec(kernel.version)?.[0] ?? kernel.version));
    const offered =
      series.size === 0 ? 'its package lists could not be had' : `it has ${[...series].join(', ')}`;
    throw new XdpError(
      'XDP_KERNEL_UNAVAILABLE',
      `Debian's archive has no kernel ${wanted}; ${offered}${complaints === '' ? '' : `\n${complaints}`}`,
    );
  }
  const kernel = chosen;
  await withCacheLock('kernels', async () => {
    try {
      await fetchKernel(kernel);
    } catch (cause) {
      throw new XdpError(
        'XDP_KERNEL_UNAVAILABLE',
        `kernel ${kernel.release} could not be fetched: ${cause instanceof Error ? cause.message : String(cause)}`,
        { cause },
      );
    }
  });
  return cachedImage(name, kernel);
}
