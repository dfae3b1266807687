/** How a guest comes to its root file system, and what that needs of its kernel and of the host. */
import { existsSync } from 'node:fs';
import { XdpError } from '../errors.ts';
import type { RootKind } from './guest-init.ts';
import type { KernelImage } from './image.ts';
import { hasModule, type ModuleIndex } from './modules.ts';
import { findProgram } from './tools.ts';

export type RootChoice = 'auto' | RootKind;

export interface RootPlan {
  readonly kind: RootKind;
  /** Modules to load before it can be mounted. */
  readonly modules: readonly string[];
  /** The program that serves it, for virtiofs. */
  readonly virtiofsd: string | undefined;
}

const needs: Record<RootKind, readonly string[]> = {
  '9p': ['9pnet_virtio', '9p', 'overlay'],
  virtiofs: ['virtiofs', 'overlay'],
  initramfs: [],
};

/** What virtio devices hang on: a module up to 6.1 and built in later, in Debian's kernels. */
export function transportModules(index: ModuleIndex): readonly string[] {
  return index.files.has('virtio_pci') ? ['virtio_pci'] : [];
}

/**
 * virtiofsd needs root: the C one that came with QEMU up to 7.2 always, the Rust one for a mount namespace in which
 * the host's root is read-only.
 */
function usableVirtiofsd(): string | undefined {
  return process.getuid?.() === 0 && findProgram('unshare') !== undefined
    ? findProgram('virtiofsd')
    : undefined;
}

/** Chooses the root: what was asked for, or the first of 9p, virtiofs and initramfs that kernel and host can do. */
export function planRoot(kernel: KernelImage, index: ModuleIndex, choice: RootChoice): RootPlan {
  const virtiofsd = usableVirtiofsd();
  const lacking = (kind: RootKind): readonly string[] =>
    needs[kind].filter((name) => !hasModule(index, name));
  const plan = (kind: RootKind): RootPlan => ({
    kind,
    modules: kind === 'initramfs' ? [] : [...transportModules(index), ...needs[kind]],
    virtiofsd: kind === 'virtiofs' ? virtiofsd : undefined,
  });
  if (choice === 'auto') {
    if (lacking('9p').length === 0) return plan('9p');
    if (lacking('virtiofs').length === 0 && virtiofsd !== undefined) return plan('virtiofs');
    return plan('initramfs');
  }
  const missing = lacking(choice);
  // A kernel of one's own may have everything built in and no lib/modules to say so: then the mount will tell.
  const canTell = kernel.modules !== undefined && existsSync(kernel.modules);
  if (missing.length > 0 && canTell) {
    throw new XdpError(
      'XDP_FEATURE_UNSUPPORTED',
      `kernel ${kernel.release} has no ${missing.join(', ')} for a ${choice} root; --root initramfs needs no module`,
    );
  }
  if (choice === 'virtiofs' && virtiofsd === undefined) {
    throw new XdpError(
      'XDP_TOOL_MISSING',
      'a virtiofs root needs root on the host, unshare (util-linux) and virtiofsd; --root 9p needs neither',
    );
  }
  return canTell ? plan(choice) : { ...plan(choice), modules: [] };
}
