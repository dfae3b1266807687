/** Churn: which flows changed their destination between two runs of the same packets. */
import { describeValue, expectOptions, invalidArgument } from '../errors.ts';

/** Options of {@link churn}. */
export interface ChurnOptions<K> {
  /** Destinations taken away between the two runs: flows on them have to move. */
  readonly removed?: Iterable<K>;
  /** Destinations added between the two runs: flows may move to them. */
  readonly added?: Iterable<K>;
}

/** The result of {@link churn}. All but the shares are numbers of flows. */
export interface Churn {
  readonly total: number;
  readonly moved: number;
  /** `moved / total`; 0 for no flows. */
  readonly share: number;
  /** Flows that left a removed destination: they had to. */
  readonly movedFromRemoved: number;
  /** Flows that left a remaining destination for an added one: what a balanced ring does. */
  readonly movedToAdded: number;
  /** Flows that moved although both ends were there before and after: broken connections for nothing. */
  readonly movedAmongOthers: number;
  /** `movedAmongOthers` as a share of the flows that were not on a removed destination; 0 for no such flow. */
  readonly disruption: number;
  /** Flows that are on a removed destination in `after`: always a fault of the balancer. */
  readonly stillOnRemoved: number;
}

/**
 * Compares the destinations of the same flows, in the same order, before and after a change. A key is a number,
 * string or bigint; `undefined` stands for a flow without destination, such as one that was dropped.
 */
export function churn<K extends number | string | bigint | undefined>(
  before: ArrayLike<K>,
  after: ArrayLike<K>,
  options?: ChurnOptions<K>,
): Churn {
  const { removed, added } = expectOptions<ChurnOptions<K>>('churn', options, ['removed', 'added']);
  for (const [name, flows] of Object.entries({ before, after })) {
    if (flows === null || typeof flows !== 'object' || typeof flows.length !== 'number') {
      throw invalidArgument(`churn: ${name} must be an array of destinations, got ${describeValue(flows)}`);
    }
  }
  if (before.length !== after.length) {
    throw invalidArgument(
      `churn: before has ${before.length} flows, after has ${after.length}: they must be the same flows in the same order`,
    );
  }
  const gone = new Set(removed);
  const fresh = new Set(added);
  let moved = 0;
  let onRemoved = 0;
  let movedFromRemoved = 0;
  let movedToAdded = 0;
  let stillOnRemoved = 0;
  for (let i = 0; i < before.length; i++) {
    const from = before[i] as K;
    const to = after[i] as K;
    const hadToMove = gone.has(from);
    if (hadToMove) onRemoved++;
    if (gone.has(to)) stillOnRemoved++;
    if (from === to) continue;
    moved++;
    if (hadToMove) movedFromRemoved++;
    else if (fresh.has(to)) movedToAdded++;
  }
  const movedAmongOthers = moved - movedFromRemoved - movedToAdded;
  return Object.freeze({
    total: before.length,
    moved,
    share: ratio(moved, before.length),
    movedFromRemoved,
    movedToAdded,
    movedAmongOthers,
    disruption: ratio(movedAmongOthers, before.length - onRemoved),
    stillOnRemoved,
  });
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
