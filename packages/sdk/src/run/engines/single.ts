/** One packet through the batch driver, for what a single call cannot tell: where a redirect leads. */
import { XdpError } from '../../errors.ts';
import { type NativeHandle, native } from '../../native.ts';
import type { RunContext } from '../checks.ts';
import type { BatchDriver } from './driver.ts';
import { DRIVER } from './driver-limits.ts';

/** What the driver tells of one packet. */
export interface SingleRun {
  readonly errno: number;
  readonly verdict: number;
  /** Metadata, then the packet. */
  readonly output: Uint8Array;
  readonly metadataBytes: number;
  readonly durationNs: number;
  readonly retries: number;
  readonly redirectMap: number;
  readonly redirectTarget: number;
}

/** A longest packet and what can be put in front of it, rounded up to what the driver copies. */
const OUTPUT_BYTES = 8192;
const output = new Uint8Array(OUTPUT_BYTES);
const column = (): Uint32Array => new Uint32Array(1);
const columns = {
  offsets: column(),
  lengths: column(),
  verdicts: column(),
  outLengths: column(),
  outOffsets: column(),
  outMetadata: column(),
  ns: column(),
  redirectTargets: column(),
  redirectMaps: column(),
};

export function runSingle(
  driver: BatchDriver,
  target: NativeHandle,
  packet: Uint8Array,
  context: Required<RunContext>,
  useContext: boolean,
): SingleRun {
  columns.lengths[0] = packet.length;
  const slice = driver.aimedAt(target, () =>
    native().batchRunSlice({
      ...columns,
      ...context,
      driver: driver.program,
      memory: driver.memory,
      flags: DRIVER.flags.time | DRIVER.flags.redirects,
      bytes: packet,
      outBytes: output,
      outPosition: 0,
      outEnd: OUTPUT_BYTES,
      outRoom: 0,
      from: 0,
      to: 1,
      sliceNs: 0,
      useContext: useContext ? 1 : 0,
    }),
  );
  if (slice.driverError !== 0) {
    throw new XdpError(
      'XDP_ENGINE_UNAVAILABLE',
      `the batch driver gave up (step ${slice.driverError} of native/bpf/driver.h); please report this`,
    );
  }
  const metadataBytes = columns.outMetadata[0]!;
  return {
    errno: slice.errno,
    verdict: columns.verdicts[0]!,
    output: output.slice(0, metadataBytes + columns.outLengths[0]!),
    metadataBytes,
    durationNs: columns.ns[0]!,
    retries: slice.retries,
    redirectMap: columns.redirectMaps[0]!,
    redirectTarget: columns.redirectTargets[0]!,
  };
}
