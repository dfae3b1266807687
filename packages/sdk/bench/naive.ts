/**
 * What anybody would write: BPF_PROG_TEST_RUN with repeat 1 for each packet, in a loop in C, the program not parked.
 * There is no option for that: on a kernel that rewrites the dispatcher at every call, runMany parks the program.
 */
import type { XdpProgram } from 'xdptest';
import type { PacketBatch } from 'xdptest/packet';
import { testRunLimits } from '#dist/kernel/index.js';
import { native } from '#dist/native.js';
import { programHandle } from '#dist/object/index.js';

/** The longest that can come out of a packet of one page. */
const ROOM_BYTES = 4096;
/** The balancer puts 20 bytes in front. */
const GROWTH_BYTES = 64;

export interface NaiveResults {
  readonly verdicts: Uint32Array;
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;
}

export function runNaive(program: XdpProgram, batch: PacketBatch): NaiveResults {
  const column = (): Uint32Array => new Uint32Array(batch.length);
  const [verdicts, offsets] = [column(), column()];
  const bytes = new Uint8Array(batch.bytes.length + batch.length * GROWTH_BYTES + ROOM_BYTES);
  const { next, errno } = native().testRunSlice({
    program: programHandle(program),
    bytes: batch.bytes,
    offsets: batch.offsets,
    lengths: batch.lengths,
    verdicts,
    outLengths: column(),
    outOffsets: offsets,
    outMetadata: column(),
    outBytes: bytes,
    outPosition: 0,
    outEnd: bytes.length,
    outRoom: ROOM_BYTES,
    from: 0,
    to: batch.length,
    sliceNs: 1e15,
    useContext: testRunLimits().context ? 1 : 0,
  });
  if (next !== batch.length)
    throw new Error(`packet ${next} of ${batch.length} did not run (errno ${errno})`);
  return { verdicts, offsets, bytes };
}
