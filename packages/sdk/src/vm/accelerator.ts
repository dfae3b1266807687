/** KVM where it truly works, emulation otherwise. */
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDirectory } from './cache.ts';
import type { KernelImage } from './image.ts';
import { type MachineOptions, runMachine } from './machine.ts';
import type { Accelerator } from './qemu.ts';

export type AcceleratorChoice = 'auto' | Accelerator;

export interface AcceleratorPlan {
  readonly accelerator: Accelerator;
  readonly reason: string;
}

/** A real machine is up in less than a second; a dead KVM guest stays paused for ever. */
const TRY_MS = 15_000;

/**
 * Why KVM is out of the question without a try. A /dev/kvm alone proves nothing: nested and para-virtual ones take a
 * guest and then die in their instruction emulator, so the hardware's own module must be there.
 */
export function kvmObstacle(): string | undefined {
  if (!existsSync('/dev/kvm')) return 'there is no /dev/kvm';
  try {
    accessSync('/dev/kvm', constants.R_OK | constants.W_OK);
  } catch {
    return '/dev/kvm is not accessible to this user';
  }
  if (!existsSync('/sys/module/kvm_intel') && !existsSync('/sys/module/kvm_amd')) {
    return '/dev/kvm is there, but neither kvm_intel nor kvm_amd';
  }
  return undefined;
}

/** Boots the kernel under KVM once, with a time limit; the answer holds until the host reboots. */
async function kvmWorks(image: KernelImage): Promise<boolean> {
  const file = join(cacheDirectory(), 'kvm.json');
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  if (existsSync(file)) {
    const known = JSON.parse(readFileSync(file, 'utf8')) as { boot: string; works: boolean };
    if (known.boot === boot) return known.works;
  }
  const options: MachineOptions = {
    image,
    command: ['/bin/busybox', 'true'],
    cwd: '/',
    env: { PATH: '/bin' },
    modules: [],
    files: [],
    bare: true,
    smp: 1,
    memoryMiB: 512,
    bootTimeoutMs: TRY_MS,
    timeoutMs: TRY_MS,
    root: 'initramfs',
    accelerator: 'kvm',
    append: '',
    shell: undefined,
    channel: undefined,
    onTrouble: undefined,
    onOutput: () => {},
    signal: undefined,
  };
  const works = (await runMachine(options)).outcome === 'passed';
  writeFileSync(file, JSON.stringify({ boot, works }));
  return works;
}

export async function planAccelerator(
  image: KernelImage,
  choice: AcceleratorChoice,
): Promise<AcceleratorPlan> {
  if (choice !== 'auto') return { accelerator: choice, reason: 'asked for' };
  const obstacle = kvmObstacle();
  if (obstacle !== undefined) return { accelerator: 'tcg', reason: obstacle };
  return (await kvmWorks(image))
    ? { accelerator: 'kvm', reason: 'a machine was tried and came up' }
    : { accelerator: 'tcg', reason: `a machine under KVM did not come up within ${TRY_MS / 1000} s` };
}
