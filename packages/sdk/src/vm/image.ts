/** Kernel images on disk: finding vmlinuz and modules in a directory, and reading which release an image is. */
import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { XdpError } from '../errors.ts';

/** A kernel that can be booted. */
export interface KernelImage {
  /** As it was asked for: `debian:5.10`, a path. */
  readonly name: string;
  /** What `uname -r` will say there. */
  readonly release: string;
  readonly vmlinuz: string;
  /** Its lib/modules/<release>, if it has one. */
  readonly modules: string | undefined;
}

/**
 * The release inside an x86 boot image: "HdrS" at 0x202, and at 0x20e the offset (less 0x200) of a string that begins
 * with the release. See Documentation/arch/x86/boot.rst.
 */
export function readImageRelease(path: string): string {
  const head = Buffer.alloc(64 * 1024);
  const fd = openSync(path, 'r');
  let length: number;
  try {
    length = readSync(fd, head, 0, head.length, 0);
  } finally {
    closeSync(fd);
  }
  if (length < 0x240 || head.toString('latin1', 0x202, 0x206) !== 'HdrS') {
    throw new XdpError('XDP_KERNEL_UNAVAILABLE', `${path} is no x86 Linux boot image (vmlinuz, bzImage)`);
  }
  const start = head.readUInt16LE(0x20e) + 0x200;
  const release = head.toString('latin1', start, Math.min(start + 128, length)).split(/[\s\0]/)[0];
  if (release === undefined || release === '') {
    throw new XdpError('XDP_KERNEL_UNAVAILABLE', `${path} does not say which release it is`);
  }
  return release;
}

/** Where the modules of `release` may lie, seen from a directory that holds a system or an unpacked package. */
function findModules(roots: readonly string[], release: string): string | undefined {
  return roots
    .flatMap((root) => [join(root, 'lib/modules', release), join(root, 'usr/lib/modules', release)])
    .find((path) => existsSync(path));
}

/** A vmlinuz file; its modules are looked for beside it, above it (boot/vmlinuz-*), and on the host. */
export function imageFromFile(name: string, path: string): KernelImage {
  const release = readImageRelease(path);
  const near = dirname(path);
  return { name, release, vmlinuz: path, modules: findModules([near, dirname(near), '/'], release) };
}

/** vmlinuz files below `directory`, not deeper than an unpacked package has them. */
function findImages(directory: string): string[] {
  const places = ['.', 'boot', 'arch/x86/boot', 'lib/modules', 'usr/lib/modules'];
  const found: string[] = [];
  const look = (path: string): void => {
    if (!existsSync(path) || !statSync(path).isDirectory()) return;
    for (const entry of readdirSync(path)) {
      const full = join(path, entry);
      if (/^(vmlinuz|bzImage)/.test(entry) && statSync(full).isFile()) found.push(full);
    }
  };
  for (const place of places) {
    const path = join(directory, place);
    look(path);
    if (basename(place) !== 'modules' || !existsSync(path)) continue;
    for (const release of readdirSync(path)) look(join(path, release));
  }
  return found;
}

/** A directory: an unpacked package (`dpkg -x`), a kernel's build tree, or any with a vmlinuz in it. */
export function imageFromDirectory(name: string, directory: string): KernelImage {
  const images = findImages(directory);
  const [vmlinuz] = images;
  if (vmlinuz === undefined) {
    throw new XdpError(
      'XDP_KERNEL_UNAVAILABLE',
      `${directory} has no vmlinuz or bzImage in it, boot/ or arch/x86/boot/`,
    );
  }
  const releases = new Set(images.map(readImageRelease));
  if (releases.size > 1) {
    throw new XdpError(
      'XDP_KERNEL_UNAVAILABLE',
      `${directory} has several kernels (${[...releases].join(', ')}); name one of the files instead`,
    );
  }
  const release = readImageRelease(vmlinuz);
  return { name, release, vmlinuz, modules: findModules([directory], release) };
}
