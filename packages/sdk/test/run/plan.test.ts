/** The planner is a pure function: kernels of every kind are made up here, and each choice says why. */
import { describe, expect, test } from 'vitest';
import { type PlanningFacts, planRun, type RunPlan, type Workload } from 'xdptest';
import { thrownBy } from '../support/errors.ts';

interface MadeUpKernel {
  readonly state?: PlanningFacts['dispatcher']['state'];
  readonly parking?: boolean;
  readonly cpus?: number;
  readonly rewriteNs?: number;
}

/** A kernel as 6.18 was measured: 1.3 us a call, 25 ns a repeat, 18 ms a rewrite. */
function kernel({
  state = 'bypassed',
  parking = true,
  cpus = 2,
  rewriteNs = 18e6,
}: MadeUpKernel = {}): PlanningFacts {
  const cost = state === 'absent' ? 0 : rewriteNs;
  const callNs = 1300;
  const repeatNs = 25;
  return {
    cpus: { available: cpus, possible: cpus },
    features: { context: true, frags: true, liveFrames: true, parking },
    dispatcher: {
      state,
      reason: '',
      rewriteNs: cost,
      callNs,
      repeatNs,
      breakEvenRuns: Math.ceil((cost + callNs) / (callNs + (state === 'always' ? cost : 0) - repeatNs)),
      evidence: {
        decidedBy: 'timing',
        rewrites: undefined,
        rewritesRefused: 'made up',
        voluntarySwitches: { repeat1: 0, repeat2: 2 },
        unparkedNs: { repeat1: callNs, repeat2: callNs + cost },
        parkedNs: parking ? { repeat1: callNs, repeat2: callNs } : undefined,
        parkingRefused: parking ? undefined : 'EPERM',
      },
    },
  };
}

const distinct = (runs: number, more: Partial<Workload> = {}): Workload => ({
  runs,
  distinct: true,
  largestBytes: 64,
  outputs: 'packets',
  ...more,
});
const same = (runs: number, more: Partial<Workload> = {}): Workload => ({
  runs,
  distinct: false,
  changesPacket: false,
  largestBytes: 64,
  outputs: 'packets',
  ...more,
});
const choice = ({ engine, repeat, workers, parked }: RunPlan): unknown => ({
  engine,
  repeat,
  workers,
  parked,
});

describe('distinct packets in single calls', () => {
  const refused = { batchRefused: 'made up' };

  test.each(['bypassed', 'absent'] as const)(
    'have repeat 1 and no parking where the dispatcher is %s',
    (state) => {
      const plan = planRun(distinct(1000, refused), kernel({ state }));
      expect(choice(plan)).toEqual({ engine: 'syscall', repeat: 1, workers: 1, parked: false });
      expect(plan.reason).toContain('made up');
      expect(plan.reason).toContain('too little work to share');
    },
  );

  test('are shared over all CPUs where that pays, and only there', () => {
    const enough = Math.ceil(50e6 / 1300);
    expect(planRun(distinct(enough, refused), kernel({ cpus: 4 })).workers).toBe(4);
    expect(planRun(distinct(enough - 100, refused), kernel({ cpus: 4 })).workers).toBe(1);
    expect(planRun(distinct(enough, refused), kernel({ cpus: 1 })).workers).toBe(1);
  });

  test('are parked for, with one worker, on a kernel that lacks the bypass', () => {
    const plan = planRun(distinct(1_000_000, refused), kernel({ state: 'always' }));
    expect(choice(plan)).toEqual({ engine: 'syscall', repeat: 1, workers: 1, parked: true });
    expect(plan.reason).toContain('rewrites the dispatcher at every call');
    expect(plan.reason).toContain('parked');
  });

  test('are not parked for when they are too few to pay for it', () => {
    const plan = planRun(distinct(10, refused), kernel({ state: 'always', rewriteNs: 300_000 }));
    expect(plan.parked).toBe(false);
    expect(plan.reason).toContain('too few packets');
  });

  test('say that each call is slow where parking is refused', () => {
    const plan = planRun(distinct(1000, refused), kernel({ state: 'always', parking: false }));
    expect(choice(plan)).toEqual({ engine: 'syscall', repeat: 1, workers: 1, parked: false });
    expect(plan.reason).toContain('parking is refused');
  });

  test('are what engine: syscall asks for', () => {
    const plan = planRun(distinct(1000, { engine: 'syscall' }), kernel());
    expect(plan.engine).toBe('syscall');
    expect(plan.reason).toContain('as asked');
  });
});

describe('distinct packets in batches', () => {
  test('are at most 1024 a call, and within 512 KiB', () => {
    expect(planRun(distinct(1_000_000), kernel()).repeat).toBe(1024);
    expect(planRun(distinct(1_000_000, { largestBytes: 3520 }), kernel()).repeat).toBe(148);
    expect(planRun(distinct(5), kernel()).repeat).toBe(5);
  });

  test('are parked for, or the reason says why not', () => {
    expect(planRun(distinct(1000), kernel())).toMatchObject({ engine: 'batch', parked: true });
    const unparked = planRun(distinct(1000), kernel({ parking: false }));
    expect(unparked.parked).toBe(false);
    expect(unparked.reason).toContain('refused');
    const absent = planRun(distinct(1000), kernel({ state: 'absent', parking: false }));
    expect(absent.reason).toContain('no dispatcher');
  });
});

test.each(['auto', 'syscall'] as const)('as many workers as the caller asks for (engine %s)', (engine) => {
  const plan = planRun(distinct(10, { workers: 7, engine }), kernel());
  expect(plan.workers).toBe(7);
  expect(plan.reason).toContain('7 workers, as asked');
});

describe('the same packet again and again', () => {
  const { breakEvenRuns } = kernel({ parking: false }).dispatcher;

  test('is run by single calls below the break-even', () => {
    const plan = planRun(same(breakEvenRuns - 10), kernel({ parking: false }));
    expect(choice(plan)).toEqual({ engine: 'syscall', repeat: 1, workers: 1, parked: false });
    expect(plan.reason).toContain(`break-even of about ${breakEvenRuns}`);
  });

  test('is run by one call above the break-even', () => {
    const runs = breakEvenRuns + 10;
    const plan = planRun(same(runs), kernel({ parking: false }));
    expect(choice(plan)).toEqual({ engine: 'syscall', repeat: runs, workers: 1, parked: false });
    expect(plan.reason).toContain(`break-even of about ${breakEvenRuns}`);
  });

  test('is parked for where that is cheaper than one rewrite', () => {
    const plan = planRun(same(1_000_000), kernel());
    expect(choice(plan)).toEqual({ engine: 'syscall', repeat: 1_000_000, workers: 1, parked: true });
  });

  test('is not parked for where one rewrite is cheaper', () => {
    const plan = planRun(same(1_000_000), kernel({ rewriteNs: 300_000 }));
    expect(choice(plan)).toEqual({ engine: 'syscall', repeat: 1_000_000, workers: 1, parked: false });
  });

  test('is run by one call at once where no dispatcher is rewritten', () => {
    const plan = planRun(same(2), kernel({ state: 'absent' }));
    expect(choice(plan)).toEqual({ engine: 'syscall', repeat: 2, workers: 1, parked: false });
    expect(plan.reason).toContain('no dispatcher');
  });

  test('is run by one call at once on a kernel that rewrites at every call anyway', () => {
    const plan = planRun(same(100), kernel({ state: 'always', parking: false }));
    expect(plan.repeat).toBe(100);
  });

  test.each([true, undefined])(
    'is never run again on what the program made of it (changesPacket: %s)',
    (changes) => {
      const { changesPacket: _, ...unknown } = same(1_000_000);
      const workload = changes === undefined ? unknown : { ...unknown, changesPacket: changes };
      const plan = planRun(workload, kernel());
      expect(choice(plan)).toEqual({ engine: 'syscall', repeat: 1, workers: 1, parked: false });
      expect(plan.reason).toContain('does not restore it');
    },
  );

  test('is parked for when a changing program runs often on a kernel that lacks the bypass', () => {
    const plan = planRun(same(1000, { changesPacket: true }), kernel({ state: 'always' }));
    expect(choice(plan)).toEqual({ engine: 'syscall', repeat: 1, workers: 1, parked: true });
  });
});

test('a plan never takes slices of more than 30 ms', () => {
  for (const workload of [
    distinct(1),
    distinct(1e6),
    same(1),
    same(1e6),
    same(10, { changesPacket: true }),
  ]) {
    expect(planRun(workload, kernel()).sliceMs).toBeLessThanOrEqual(30);
  }
});

test.each<[unknown]>([
  [undefined],
  [null],
  [5],
  [distinct(-1)],
  [distinct(1.5)],
  [distinct(Number.NaN)],
  [distinct(1, { largestBytes: -1 })],
  [distinct(1, { workers: 0 })],
  [same(Number.POSITIVE_INFINITY)],
  [{ ...same(1), runs: '5' }],
])('a workload that is none is refused: %o', (workload) => {
  const error = thrownBy(() => planRun(workload as Workload, kernel()));
  expect(error.code).toBe('XDP_INVALID_ARGUMENT');
  expect(error.message).toContain('planRun');
});
