/** The command line of QEMU. */
import type { RootKind } from './guest-init.ts';

export type Accelerator = 'kvm' | 'tcg';

/** File descriptors that the supervisor passes on: one socket for each serial port, in the order of the ports. */
export const PORT_DESCRIPTORS = [3, 4, 5, 6] as const;
/** The one behind them: the channel's. */
const CHANNEL_DESCRIPTOR = 7;
/** The name under which the guest finds the channel's port. */
export const CHANNEL_NAME = 'xdptest.channel';

export interface MachineShape {
  readonly vmlinuz: string;
  readonly initramfs: string;
  readonly root: RootKind;
  readonly virtiofsSocket: string | undefined;
  readonly accelerator: Accelerator;
  readonly smp: number;
  readonly memoryMiB: number;
  /** Whether there is a channel: a virtio port, which is some hundred times as fast as a serial one. */
  readonly channel: boolean;
  /** More of the kernel's command line. */
  readonly append: string;
}

const kernelCommandLine = [
  'console=ttyS0',
  // 5: warnings of the kernel reach the console, its chatter does not.
  'loglevel=5',
  // With -no-reboot a panic ends QEMU; an oops becomes one, for what runs on after it proves nothing.
  'panic=-1',
  'oops=panic',
  // A throw-away machine has no neighbours; under emulation retpolines are expensive.
  'mitigations=off',
  'random.trust_cpu=on',
  'cryptomgr.notests',
  // Timer and TSC calibration against each other fail now and then on a busy host.
  'no_timer_check',
  'tsc=reliable',
];

function acceleration(accelerator: Accelerator): string[] {
  if (accelerator === 'kvm') return ['-accel', 'kvm', '-cpu', 'host'];
  // thread=multi: guests with several CPUs oops now and then while their kernel patches its own code (text_poke).
  return ['-accel', 'tcg,thread=single', '-cpu', 'max'];
}

function sharedRoot(shape: MachineShape): string[] {
  if (shape.root === '9p') {
    return [
      '-fsdev',
      'local,id=root,path=/,security_model=none,readonly=on,multidevs=remap',
      '-device',
      'virtio-9p-pci,fsdev=root,mount_tag=xdptest',
    ];
  }
  if (shape.root === 'virtiofs') {
    return [
      '-object',
      `memory-backend-memfd,id=memory,size=${shape.memoryMiB}M,share=on`,
      '-numa',
      'node,memdev=memory',
      '-chardev',
      `socket,id=root,path=${shape.virtiofsSocket}`,
      '-device',
      'vhost-user-fs-pci,chardev=root,tag=xdptest,queue-size=1024',
    ];
  }
  return [];
}

function channelPort(shape: MachineShape): string[] {
  if (!shape.channel) return [];
  return [
    ...['-chardev', `socket,id=channel,fd=${CHANNEL_DESCRIPTOR}`, '-device', 'virtio-serial-pci'],
    ...['-device', `virtserialport,chardev=channel,name=${CHANNEL_NAME}`],
  ];
}

/** The arguments for a machine. */
export function qemuArguments(shape: MachineShape): string[] {
  return [
    ...['-M', 'pc', '-nodefaults', '-no-user-config', '-display', 'none', '-no-reboot'],
    ...acceleration(shape.accelerator),
    ...['-smp', String(shape.smp), '-m', String(shape.memoryMiB)],
    ...['-kernel', shape.vmlinuz, '-initrd', shape.initramfs],
    ...['-append', [...kernelCommandLine, ...(shape.append === '' ? [] : [shape.append])].join(' ')],
    ...PORT_DESCRIPTORS.flatMap((fd) => [
      '-chardev',
      `socket,id=port${fd},fd=${fd}`,
      '-serial',
      `chardev:port${fd}`,
    ]),
    ...sharedRoot(shape),
    ...channelPort(shape),
  ];
}
