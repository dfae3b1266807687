/** Checks of what users give, before any system call, by rules that know the kernel's limits. */
import { describeValue, expectInteger, expectOptions, invalidArgument, XdpError } from '../errors.ts';
import type { TestRunLimits } from '../kernel/index.ts';
import { XdpProgram } from '../object/index.ts';

/** The context that a program sees beside the packet. */
export interface RunContext {
  /** The interface that the packet seems to come from: an index in this network namespace. Kernel 5.15. */
  readonly ingressIfindex?: number;
  /** The receive queue; needs `ingressIfindex`, and must be below the interface's number of queues. */
  readonly rxQueue?: number;
}

/** Checks that a program can be test-run at all. */
export function checkProgram(where: string, program: unknown): asserts program is XdpProgram {
  if (!(program instanceof XdpProgram)) {
    const hint = program === undefined ? ' (no program of that name in the object?)' : '';
    throw invalidArgument(
      `${where}: expected an XdpProgram (object.programs.NAME), got ${describeValue(program)}${hint}`,
    );
  }
  if (!program.isXdp) {
    throw new XdpError(
      'XDP_NOT_XDP',
      `${where}: program ${program.name} (section ${program.section}) is no XDP program`,
    );
  }
  if (program.attachType === 'xdp_devmap' || program.attachType === 'xdp_cpumap') {
    throw new XdpError(
      'XDP_NOT_XDP',
      `${where}: program ${program.name} is for a ${program.attachType.slice(4)} entry (section ${program.section}), and the kernel test-runs none of these: call its logic from a program in SEC("xdp") for tests`,
    );
  }
}

/** Checks a context and gives it back complete. */
export function checkContext(
  where: string,
  context: RunContext | undefined,
  limits: TestRunLimits,
): Required<RunContext> {
  const { ingressIfindex = 0, rxQueue = 0 } = expectOptions(`${where}: context`, context, [
    'ingressIfindex',
    'rxQueue',
  ]);
  expectInteger(`${where}: context.ingressIfindex`, ingressIfindex, 0, 0x7fff_ffff);
  expectInteger(`${where}: context.rxQueue`, rxQueue, 0, 0xffff);
  if (rxQueue !== 0 && ingressIfindex === 0) {
    throw invalidArgument(
      `${where}: context.rxQueue needs context.ingressIfindex, the interface whose queue it is`,
    );
  }
  if (ingressIfindex !== 0 && !limits.context) throw contextUnsupported(where, 'context.ingressIfindex');
  return { ingressIfindex, rxQueue };
}

function contextUnsupported(where: string, option: string): XdpError {
  return new XdpError(
    'XDP_CONTEXT_UNSUPPORTED',
    `${where}: ${option} needs a context, which this kernel's test runs do not take (upstream kernels do from 5.15 on)`,
  );
}

/** Checks metadata to be put in front of a packet: multiples of 4 bytes, within the kernel's limit. */
export function checkMetadata(where: string, metadata: unknown, limits: TestRunLimits): Uint8Array {
  if (!(metadata instanceof Uint8Array)) {
    throw invalidArgument(`${where}: metadata must be a Uint8Array, got ${describeValue(metadata)}`);
  }
  if (metadata.length > 0 && !limits.context) throw contextUnsupported(where, 'metadata');
  if (metadata.length % 4 !== 0 || metadata.length > limits.maxMetadataBytes) {
    throw new XdpError(
      'XDP_METADATA_INVALID',
      `${where}: metadata must be a multiple of 4 bytes and at most ${limits.maxMetadataBytes}, got ${metadata.length}`,
    );
  }
  return metadata;
}

/**
 * Checks a packet's size against what the kernel accepts and what the program can see. Metadata does not count: it lies
 * in the headroom. `index` names one of many packets.
 */
export function checkPacketSize(
  where: string,
  size: number,
  program: XdpProgram,
  limits: TestRunLimits,
  index?: number,
): void {
  if (size >= limits.minPacketBytes && size <= limits.maxLinearBytes) return;
  const which = index === undefined ? 'the packet' : `packet ${index}`;
  if (size < limits.minPacketBytes) {
    throw new XdpError(
      'XDP_PACKET_TOO_SHORT',
      `${where}: ${which} has ${size} bytes, the kernel accepts no fewer than ${limits.minPacketBytes}${limits.minPacketBytes === 14 ? ' (an Ethernet header)' : ''}`,
    );
  }
  const most = program.frags ? limits.maxPacketBytes : limits.maxLinearBytes;
  if (size <= most) return;
  const hint =
    program.frags || !limits.frags
      ? ''
      : `; a program that copes with fragments, in SEC("xdp.frags"), may get up to ${limits.maxPacketBytes}`;
  throw new XdpError(
    'XDP_PACKET_TOO_LONG',
    `${where}: ${which} has ${size} bytes, program ${program.name} can see at most ${most}${hint}`,
  );
}
