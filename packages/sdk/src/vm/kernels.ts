/** From a kernel's name to an image that boots. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { invalidArgument, XdpError } from '../errors.ts';
import { debianReleases } from './apt.ts';
import { cacheDirectory, withCacheLock, withWorkDirectory } from './cache.ts';
import { cachedKernels, type DebianKernel, offeredKernels, resolveDebian, unpackKernel } from './debian.ts';
import { imageFromDirectory, imageFromFile, type KernelImage } from './image.ts';
import { requireBusybox, requireTool } from './tools.ts';

/** What a name can mean. */
export type KernelName =
  | { readonly kind: 'host' }
  | { readonly kind: 'debian'; readonly wanted: string }
  | { readonly kind: 'path'; readonly path: string };

/**
 * `host`, `debian:5.10`, `debian:bookworm`, `5.10` (short for `debian:5.10`), or a path: a directory, a vmlinuz, a
 * .deb. A path has a slash in it or ends in .deb, so that no file in the working directory changes what `5.10` is.
 */
export function parseKernelName(name: string): KernelName {
  if (name === 'host') return { kind: 'host' };
  if (name.includes('/') || name.endsWith('.deb')) return { kind: 'path', path: resolve(name) };
  const wanted = name.replace(/^debian:/, '');
  const isRelease = name !== wanted && /^[a-z]+(-security|-backports)?$/.test(wanted);
  if (isRelease || /^\d+\.\d+[\w.+~-]*$/.test(wanted)) return { kind: 'debian', wanted };
  throw invalidArgument(
    `${JSON.stringify(name)} is no kernel's name; known are host, debian:VERSION (debian:5.10 or 5.10), ` +
      `${debianReleases.map((release) => `debian:${release}`).join(', ')}, and paths (./directory, ./vmlinuz, ./linux-image.deb)`,
  );
}

/** A .deb given by path is unpacked once into the cache, under a name that changes with the file. */
async function imageFromPackage(name: string, path: string): Promise<KernelImage> {
  const { size, mtimeMs } = statSync(path);
  const key = createHash('sha256').update(`${path}\0${size}\0${mtimeMs}`).digest('hex').slice(0, 16);
  const packages = cacheDirectory('packages');
  const final = join(packages, `${basename(path, '.deb')}-${key}`);
  await withCacheLock('kernels', async () => {
    if (existsSync(final)) return;
    await withWorkDirectory(packages, async (work) => {
      const ready = join(work, 'kernel');
      mkdirSync(ready);
      await unpackKernel([path], ready);
      renameSync(ready, final);
    });
  });
  return imageFromDirectory(name, final);
}

/** Finds, and if need be fetches, the kernel of that name. `host` has no image. */
export async function resolveKernel(name: string, refresh = false): Promise<KernelImage | 'host'> {
  const parsed = parseKernelName(name);
  if (parsed.kind === 'host') return 'host';
  if (parsed.kind === 'debian') return resolveDebian(name, parsed.wanted, refresh);
  if (!existsSync(parsed.path)) {
    throw new XdpError('XDP_KERNEL_UNAVAILABLE', `there is no ${parsed.path} (in ${dirname(parsed.path)})`);
  }
  if (statSync(parsed.path).isDirectory()) return imageFromDirectory(name, parsed.path);
  if (parsed.path.endsWith('.deb')) return imageFromPackage(name, parsed.path);
  return imageFromFile(name, parsed.path);
}

/**
 * Why no machine with these kernels can be had here, or undefined if they can; those that are not cached are fetched.
 * For the tests of this package, which skip with it.
 */
export async function machineObstacle(kernels: readonly string[]): Promise<string | undefined> {
  try {
    requireTool('qemu-system-x86_64');
    requireBusybox();
    for (const kernel of kernels) await resolveKernel(kernel);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** What {@link listKernels} gives. */
export interface KernelList {
  /** Ready in the cache, newest first. */
  readonly cached: readonly DebianKernel[];
  /** The newest of each series that Debian offers. */
  readonly offered: readonly DebianKernel[];
  /** What stood in the way of asking Debian; empty if nothing did. */
  readonly complaints: string;
}

/** The kernels in the cache and those that can be had. */
export async function listKernels(
  options: { refresh?: boolean; offline?: boolean } = {},
): Promise<KernelList> {
  const cached = cachedKernels();
  if (options.offline === true) return { cached, offered: [], complaints: '' };
  const { kernels, complaints } = await offeredKernels(options.refresh ?? false);
  const series = new Map<string, DebianKernel>();
  for (const kernel of kernels) {
    const key = /^\d+\.\d+/.exec(kernel.version)?.[0] ?? kernel.version;
    if (!series.has(key)) series.set(key, kernel);
  }
  return { cached, offered: [...series.values()], complaints };
}
