/**
 * The planner: how to run a workload on a kernel. A pure function, so that every choice can be tested and explained.
 */
import { describeValue, expectInteger, invalidArgument } from '../errors.ts';
import type { KernelFacts } from '../kernel/index.ts';
import { DRIVER } from './engines/driver-limits.ts';

/** What is to be run. */
export interface Workload {
  /** How many runs: packets, or repeats of one packet. */
  readonly runs: number;
  /** Whether the packets differ; false for one packet again and again. */
  readonly distinct: boolean;
  /** Whether the program changes the packet. Unknown counts as yes: a changed packet must not be run again as it is. */
  readonly changesPacket?: boolean;
  /** The longest packet, in bytes. */
  readonly largestBytes: number;
  readonly outputs: 'verdicts' | 'packets';
  /** Threads that the caller asks for; undefined leaves it to the plan. */
  readonly workers?: number;
  readonly engine?: 'auto' | EngineName;
  /** Why the batch engine cannot run this program or these packets; undefined when it can. */
  readonly batchRefused?: string;
}

/** The ways to run packets. */
export type EngineName = 'batch' | 'syscall';

/** The parts of the facts that a plan depends on. */
export type PlanningFacts = Pick<KernelFacts, 'cpus' | 'features' | 'dispatcher'>;

/** What was chosen, and why. */
export interface RunPlan {
  /** `syscall`: BPF_PROG_TEST_RUN for each packet (or repeat). `batch`: one call for many distinct packets. */
  readonly engine: EngineName;
  /** The repeat count of one system call. In the batch engine each repeat is another packet. */
  readonly repeat: number;
  /** A slice of native work, after which an abort is seen: at most this long. */
  readonly sliceMs: number;
  /** Threads that run packets, the calling one among them. */
  readonly workers: number;
  /** Whether the program (or the batch driver) is kept on the dispatcher meanwhile. */
  readonly parked: boolean;
  /** All of this in plain words. */
  readonly reason: string;
}

const SLICE_MS = 30;
/** Parking takes 7 to 15 ms: a namespace is made and, later, taken apart. */
const PARK_NS = 10e6;
/** A worker thread starts in some 40 ms and takes its share from then on: less work than this is over before. */
const WORTH_A_WORKER_NS = 50e6;
/** What the batch engine costs a packet, for the estimate of the whole; the true figure depends on the program. */
const BATCH_NS = 150;

/**
 * Chooses engine, repeat, slice, threads and parking.
 * @throws XdpError `XDP_INVALID_ARGUMENT` for numbers that are none
 */
export function planRun(workload: Workload, facts: PlanningFacts): RunPlan {
  checkWorkload(workload);
  const plan = workload.distinct ? planDistinct(workload, facts) : planSame(workload, facts);
  return { sliceMs: SLICE_MS, ...plan };
}

/** A number that is none would pass every comparison below, and come out as a plan. */
function checkWorkload(workload: Workload): void {
  if (workload === null || typeof workload !== 'object') {
    throw invalidArgument(`planRun: the workload must be an object, got ${describeValue(workload)}`);
  }
  expectInteger('planRun: runs', workload.runs, 0, Number.MAX_SAFE_INTEGER);
  expectInteger('planRun: largestBytes', workload.largestBytes, 0, Number.MAX_SAFE_INTEGER);
  if (workload.workers !== undefined) expectInteger('planRun: workers', workload.workers, 1, 256);
}

type Choice = Omit<RunPlan, 'sliceMs'>;

function planDistinct(workload: Workload, facts: PlanningFacts): Choice {
  const { engine = 'auto', batchRefused } = workload;
  if (engine !== 'syscall' && batchRefused === undefined) return planBatch(workload, facts);
  const why = engine === 'syscall' ? 'as asked' : `the batch engine cannot run this: ${batchRefused}`;
  const single = `syscall engine (${why}), one call with repeat 1 for each packet`;
  const { dispatcher, features } = facts;
  if (dispatcher.state !== 'always') {
    const { workers, words } = threads(workload, facts, workload.runs * dispatcher.callNs);
    const because = dispatcher.state === 'bypassed' ? ', which leaves the dispatcher alone here' : '';
    return { engine: 'syscall', repeat: 1, workers, parked: false, reason: `${single}${because}; ${words}` };
  }
  const parked = features.parking && workload.runs * dispatcher.rewriteNs > PARK_NS;
  const how = parked
    ? 'the program is parked on the dispatcher'
    : features.parking
      ? 'too few packets to park the program for'
      : 'parking is refused here, so each call is slow';
  const workers = workload.workers ?? 1;
  return {
    engine: 'syscall',
    repeat: 1,
    workers,
    parked,
    reason: `${single}; this kernel rewrites the dispatcher at every call, so ${how}; ${threadWords(workers)}, since rewrites wait for each other`,
  };
}

function planBatch(workload: Workload, facts: PlanningFacts): Choice {
  const repeat = batchPackets(workload);
  const { workers, words } = threads(workload, facts, workload.runs * BATCH_NS);
  const { parking } = facts.features;
  const dispatcher = parking
    ? 'parked on the dispatcher'
    : facts.dispatcher.state === 'absent'
      ? 'this kernel has no dispatcher to rewrite'
      : 'not parked (refused here), so each call rewrites the dispatcher';
  return {
    engine: 'batch',
    repeat,
    workers,
    parked: parking,
    reason: `batch engine: one call for each ${repeat} distinct packets, ${dispatcher}; ${words}`,
  };
}

function batchPackets({ runs, largestBytes }: Workload): number {
  const fit = Math.floor(DRIVER.inputBytes / Math.max(largestBytes, 64));
  return Math.max(1, Math.min(runs, DRIVER.packets, fit));
}

function planSame(workload: Workload, facts: PlanningFacts): Choice {
  const { runs, changesPacket = true } = workload;
  const { dispatcher, features } = facts;
  const alwaysNs = dispatcher.state === 'always' ? dispatcher.rewriteNs : 0;
  const single = runs * (dispatcher.callNs + alwaysNs);
  if (changesPacket) {
    const parked = features.parking && runs * alwaysNs > PARK_NS;
    return {
      engine: 'syscall',
      repeat: 1,
      workers: 1,
      parked,
      reason: `one call for each of ${runs} runs: the program changes the packet, and the kernel does not restore it between the repeats of one call${parked ? '; parked on the dispatcher' : ''}`,
    };
  }
  const looped = dispatcher.callNs + runs * dispatcher.repeatNs;
  const choices: { ns: number; choice: Choice }[] = [
    {
      ns: single,
      choice: {
        engine: 'syscall',
        repeat: 1,
        workers: 1,
        parked: false,
        reason: `one call with repeat 1 for each of ${runs} runs: below the break-even of about ${dispatcher.breakEvenRuns} runs`,
      },
    },
    {
      ns: looped + dispatcher.rewriteNs,
      choice: {
        engine: 'syscall',
        repeat: runs,
        workers: 1,
        parked: false,
        reason:
          dispatcher.state === 'absent'
            ? `one call with repeat ${runs}: no dispatcher is rewritten here`
            : `one call with repeat ${runs}: above the break-even of about ${dispatcher.breakEvenRuns} runs, one rewrite of the dispatcher is cheaper`,
      },
    },
  ];
  if (features.parking) {
    choices.push({
      ns: looped + PARK_NS,
      choice: {
        engine: 'syscall',
        repeat: runs,
        workers: 1,
        parked: true,
        reason: `one call with repeat ${runs}, the program parked on the dispatcher, so that nothing is rewritten`,
      },
    });
  }
  return choices.reduce((best, other) => (other.ns < best.ns ? other : best)).choice;
}

function threads(
  workload: Workload,
  facts: PlanningFacts,
  estimatedNs: number,
): { workers: number; words: string } {
  if (workload.workers !== undefined) {
    return { workers: workload.workers, words: `${threadWords(workload.workers)}, as asked` };
  }
  const workers = estimatedNs >= WORTH_A_WORKER_NS ? facts.cpus.available : 1;
  const why =
    estimatedNs >= WORTH_A_WORKER_NS || facts.cpus.available === 1 ? '' : ': too little work to share';
  return { workers, words: `${threadWords(workers)}${why}` };
}

function threadWords(workers: number): string {
  return workers === 1 ? '1 worker' : `${workers} workers`;
}
