/** What this kernel's BPF_PROG_TEST_RUN accepts, found by trying: distributions change it without a new version. */
import { constants } from 'node:os';
import { type Native, type NativeHandle, native, RUN, testRun } from '../native.ts';
import { systemError } from './system-error.ts';

/** Sizes that a test run accepts, in bytes. */
export interface TestRunLimits {
  /** The shortest packet: 14 on most kernels, 1 on Debian's 5.10. */
  readonly minPacketBytes: number;
  /** The longest packet that a program without xdp.frags sees whole: a page less headroom and tailroom. */
  readonly maxLinearBytes: number;
  /** The longest packet at all; equal to `maxLinearBytes` where the kernel has no fragments. */
  readonly maxPacketBytes: number;
  /** The longest metadata in front of a packet; 0 where there is no context. */
  readonly maxMetadataBytes: number;
  /** Whether a context (ingress interface, queue, metadata) is accepted: kernel 5.15 and newer. */
  readonly context: boolean;
  /** Whether xdp.frags programs load: kernel 5.18 and newer. */
  readonly frags: boolean;
}

const CEILING = 1 << 20;
const ETH_HLEN = 14;
let known: TestRunLimits | undefined;

/**
 * The limits, found once in each thread: some forty test runs, well under a millisecond on most machines.
 * @throws XdpError `XDP_NOT_PERMITTED` where XDP programs cannot be loaded
 */
export function testRunLimits(): TestRunLimits {
  known ??= probeLimits(native());
  return known;
}

function probeLimits(addon: Native): TestRunLimits {
  const plain = probeProgram(addon);
  const withFrags = addon.loadBareProgram(1);
  const frags = typeof withFrags === 'number' ? undefined : withFrags;
  try {
    const packet = new Uint8Array(CEILING);
    const run = new Uint32Array(RUN.length);
    const accepts = (program: NativeHandle, size: number, metadata = 0, useContext = 0): boolean => {
      testRun({ program, packet: packet.subarray(0, size), metadata, useContext, repeat: 1 }, run);
      return run[RUN.errno] === 0;
    };
    if (!accepts(plain, 64)) throw systemError('probing test runs', 'BPF_PROG_TEST_RUN', run[RUN.errno]!);
    const minPacketBytes = firstAccepted(1, 64, (size) => accepts(plain, size));
    // A program without frags is given a longer packet all the same, and sees its linear part: how long that is, shows
    // in how far its head can be moved (net/core/filter.c, bpf_xdp_adjust_head, leaves an Ethernet header).
    const head = new DataView(packet.buffer);
    const moves = (bytes: number): boolean => {
      head.setInt32(0, bytes, true);
      return accepts(plain, 65_536) && run[RUN.verdict] === 0;
    };
    const maxLinearBytes = accepts(plain, 65_536)
      ? ETH_HLEN + lastAccepted(0, 65_536, moves)
      : lastAccepted(64, 65_536, (size) => accepts(plain, size));
    head.setInt32(0, 0);
    const context = accepts(plain, 64, 0, 1);
    return {
      minPacketBytes,
      maxLinearBytes,
      maxPacketBytes:
        frags === undefined
          ? maxLinearBytes
          : lastAccepted(maxLinearBytes, CEILING, (size) => accepts(frags, size)),
      maxMetadataBytes: context
        ? 4 * lastAccepted(0, 64, (words) => accepts(plain, 64 + 4 * words, 4 * words, 1))
        : 0,
      context,
      frags: frags !== undefined,
    };
  } finally {
    addon.closeHandle(plain);
    if (frags !== undefined) addon.closeHandle(frags);
  }
}

/**
 * A program that can tell how much of a packet it sees or, where the verifier wants CAP_PERFMON for that, one that cannot:
 * it is needed only on kernels with fragments, and those let everybody read the packet by a helper.
 */
function probeProgram(addon: Native): NativeHandle {
  const program = addon.loadBareProgram(0);
  if (typeof program !== 'number') return program;
  const XDP_DROP = 1;
  return bareProgram(addon, false, -program === constants.errno.EACCES ? XDP_DROP : undefined);
}

/** A program of a few instructions, for probes. */
export function bareProgram(addon: Native, frags: boolean, verdict?: number): NativeHandle {
  const program = addon.loadBareProgram(frags ? 1 : 0, verdict);
  if (typeof program !== 'number') return program;
  const errno = -program;
  if (errno === constants.errno.ENOSYS)
    throw systemError('loading a program', 'bpf', errno, 'XDP_FEATURE_UNSUPPORTED');
  throw systemError('loading an XDP program', 'BPF_PROG_LOAD', errno);
}

/** The smallest of low..high that is accepted, where all above it are too. */
function firstAccepted(low: number, high: number, accepts: (n: number) => boolean): number {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (accepts(middle)) high = middle;
    else low = middle + 1;
  }
  return high;
}

/** The largest of low..high that is accepted, where all below it are too. */
function lastAccepted(low: number, high: number, accepts: (n: number) => boolean): number {
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (accepts(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
