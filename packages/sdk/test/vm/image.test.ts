import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { imageFromDirectory, imageFromFile, readImageRelease } from '#dist/vm/image.js';
import { indexModules } from '#dist/vm/modules.js';
import { planRoot } from '#dist/vm/root.js';
import { isStaticElf, requireTool } from '#dist/vm/tools.js';

/** The part of a bzImage that tells its release; see Documentation/arch/x86/boot.rst. */
function bootImage(release: string): Buffer {
  const image = Buffer.alloc(8192);
  image.write('HdrS', 0x202, 'latin1');
  image.writeUInt16LE(0x1000 - 0x200, 0x20e);
  image.write(`${release} (builder@host) #1 SMP Debian\0`, 0x1000, 'latin1');
  return image;
}

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'image-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function put(path: string, bytes: Uint8Array | string = ''): string {
  const full = join(root, path);
  mkdirSync(join(full, '..'), { recursive: true });
  writeFileSync(full, bytes);
  return full;
}

describe('a kernel on disk', () => {
  test('tells its release', () => {
    expect(readImageRelease(put('vmlinuz', bootImage('6.1.0-57-amd64')))).toBe('6.1.0-57-amd64');
  });

  test('is refused if it is none', () => {
    expect(() => readImageRelease(put('vmlinuz', 'text'))).toThrow(/no x86 Linux boot image/);
    expect(() => readImageRelease(put('vmlinuz', Buffer.alloc(8192)))).toThrow(/no x86 Linux boot image/);
    expect(() => imageFromDirectory('d', root)).toThrow(/no x86 Linux boot image/);
    rmSync(join(root, 'vmlinuz'));
    expect(() => imageFromDirectory('d', root)).toThrow(/has no vmlinuz or bzImage/);
  });

  test.for([
    ['a package up to 6.18', 'boot/vmlinuz-6.1.0', 'lib/modules/6.1.0/modules.builtin'],
    ['a package with a merged /usr', 'boot/vmlinuz-6.1.0', 'usr/lib/modules/6.1.0/modules.builtin'],
    ['a package since 6.19', 'usr/lib/modules/6.1.0/vmlinuz', 'usr/lib/modules/6.1.0/modules.builtin'],
    ['a build tree', 'arch/x86/boot/bzImage', 'lib/modules/6.1.0/modules.builtin'],
  ] as const)('%s is found in a directory, with its modules', ([, image, modules]) => {
    const vmlinuz = put(image, bootImage('6.1.0'));
    put(modules);
    put('lib/modules/5.10.0/modules.builtin');
    const found = imageFromDirectory('name', root);
    expect(found).toEqual({ name: 'name', release: '6.1.0', vmlinuz, modules: join(root, modules, '..') });
    expect(imageFromFile('name', vmlinuz).release).toBe('6.1.0');
  });

  test('of several in a directory none is guessed', () => {
    put('boot/vmlinuz-6.1.0', bootImage('6.1.0'));
    put('boot/vmlinuz-5.10.0', bootImage('5.10.0'));
    expect(() => imageFromDirectory('d', root)).toThrow(/several kernels \(.*\); name one of the files/);
  });
});

describe('the root of a machine', () => {
  const kernel = (modules: readonly string[]): Parameters<typeof planRoot> => {
    for (const name of modules) put(`lib/modules/6.1.0/kernel/${name}.ko`);
    put('lib/modules/6.1.0/modules.builtin', 'kernel/fs/overlayfs/overlay.ko\n');
    const directory = join(root, 'lib/modules/6.1.0');
    const image = { name: 'x', release: '6.1.0', vmlinuz: '', modules: directory };
    return [image, indexModules(directory), 'auto'];
  };

  test('is 9p where the kernel has it; the transport is loaded if it is a module', () => {
    const plan = planRoot(...kernel(['9p', '9pnet_virtio', 'virtio_pci', 'virtiofs']));
    expect(plan).toMatchObject({ kind: '9p', modules: ['virtio_pci', '9pnet_virtio', '9p', 'overlay'] });
  });

  test('is an initramfs where the kernel has nothing else', () => {
    expect(planRoot(...kernel([]))).toMatchObject({ kind: 'initramfs', modules: [] });
  });

  test('that the kernel cannot have is refused, with the modules it lacks', () => {
    const [image, index] = kernel(['9p']);
    expect(() => planRoot(image, index, '9p')).toThrow('kernel 6.1.0 has no 9pnet_virtio for a 9p root');
  });

  test('that a kernel without lib/modules may have built in is tried', () => {
    const image = { name: 'x', release: '6.1.0', vmlinuz: '', modules: undefined };
    expect(planRoot(image, indexModules(undefined), '9p')).toMatchObject({ kind: '9p', modules: [] });
  });
});

describe('the programs of the host', () => {
  test('that are linked to libraries are told from those that are not', () => {
    expect(isStaticElf(process.execPath)).toBe(false);
    expect(isStaticElf(put('text', Buffer.alloc(100)))).toBe(false);
  });

  test('that are missing are named with their package', () => {
    const path = process.env.PATH;
    process.env.PATH = root;
    try {
      expect(() => requireTool('zstd')).toThrow(/zstd is not installed.*apt-get install zstd/);
    } finally {
      process.env.PATH = path;
    }
  });
});
