/** Replays a share of a run's packets by single calls and compares the answers. */
import { XdpError } from '../errors.ts';
import { testRunLimits } from '../kernel/index.ts';
import type { XdpProgram } from '../object/index.ts';
import { PacketBatchBuilder } from '../packet/index.ts';
import { allocateColumns, OutputArena } from './columns.ts';
import { execute } from './execute.ts';
import { type Job, newJobState } from './job.ts';
import type { RunPlan } from './plan.ts';
import { type PacketResult, RunResults } from './results.ts';
import { sameBytes } from './run-result.ts';

/** @throws XdpError `XDP_VERIFY_MISMATCH`, naming the first packet that differs and how */
export async function verifyShare(
  job: Job,
  results: RunResults,
  plan: RunPlan,
  program: XdpProgram,
  share: number,
): Promise<void> {
  const indices = spread(results.length, Math.ceil(results.length * share));
  if (indices.length === 0) return;
  const { bytes, offsets, lengths } = job.input;
  const builder = new PacketBatchBuilder();
  for (const i of indices) builder.add(bytes.subarray(offsets[i]!, offsets[i]! + lengths[i]!));
  const batch = builder.build();
  const arena = job.arena === undefined ? undefined : OutputArena.allocate(batch.length, job.roomBytes);
  const replay: Job = {
    ...job,
    engine: 'syscall',
    recipe: undefined,
    input: batch,
    columns: allocateColumns(batch.length, { timing: false, redirects: false }),
    arena: arena?.parts,
    state: newJobState(),
  };
  const singly: RunPlan = { ...plan, engine: 'syscall', workers: 1, parked: false };
  await execute(replay, singly, program, {});
  const expected = new RunResults({
    columns: replay.columns,
    bytes: arena?.view(),
    plan: singly,
    retries: 0,
    elapsedNs: 0,
    program,
    baselineNs: 0,
    memory: [],
  });
  indices.forEach((index, i) => {
    const difference = differ(expected.at(i)!, results.at(index)!);
    if (difference === undefined) return;
    throw new XdpError(
      'XDP_VERIFY_MISMATCH',
      `runMany: packet ${index} run again by a single call: ${difference}; a program whose answer depends on state that a run changes cannot be verified`,
    );
  });
}

/** `count` indices spread evenly over 0..length-1. */
function spread(length: number, count: number): number[] {
  return Array.from({ length: Math.min(count, length) }, (_, i) => Math.floor((i * length) / count));
}

function differ(single: PacketResult, run: PacketResult): string | undefined {
  if (single.verdict !== run.verdict) return `verdict ${String(single.action)}, was ${String(run.action)}`;
  if (single.length !== run.length) return `${single.length} bytes came out, were ${run.length}`;
  if (single.packet === undefined || run.packet === undefined) return undefined;
  // Without a context a single call does not tell what the program put in front, the batch driver does.
  const both = testRunLimits().context;
  if (both && !sameBytes(single.metadata!, run.metadata!)) return 'other metadata came out';
  if (sameBytes(single.packet, run.packet)) return undefined;
  const at = single.packet.findIndex((byte, i) => byte !== run.packet![i]);
  return `byte ${at} of the output is ${single.packet[at]}, was ${run.packet[at]}`;
}
