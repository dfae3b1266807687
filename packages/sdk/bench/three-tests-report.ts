/** What three-tests.ts tells: as JSON, and as a table. */
import { median } from 'xdptest/stats';
import type { Outcome, Way } from './three-tests-process.ts';

/** One way to run, one or three tests at once. */
export interface Case {
  readonly way: Way;
  readonly how: string;
  readonly testsAtOnce: number;
  readonly packetsPerTest: number;
  /** Nanoseconds a packet, from the first call to the verdict on the distribution, over all tests of all rounds. */
  readonly medianNs: number;
  readonly minNs: number;
  readonly maxNs: number;
  /** How many times faster than the naive way is, as many tests at once; medians. */
  readonly timesFaster: number;
  /** Rewrites of the dispatcher in one round; null where they cannot be counted. */
  readonly rewrites: number | null;
  readonly pValues: readonly number[];
  readonly passed: boolean;
}

export interface Report {
  readonly release: string;
  readonly dispatcher: string;
  readonly rounds: number;
  /** Why rewrites could not be counted; null where they were. */
  readonly rewritesRefused: string | null;
  readonly cases: readonly Case[];
}

/** The rounds of one case. */
export interface Rounds {
  readonly way: Way;
  readonly testsAtOnce: number;
  readonly packetsPerTest: number;
  rewrites: number | null;
  /** All tests of all rounds, the first among them, which is not timed. */
  readonly all: Outcome[];
  readonly timed: Outcome[];
}

export function summarizeCases(all: readonly Rounds[]): Case[] {
  const medianNs = ({ timed, packetsPerTest }: Rounds): number =>
    median(timed.map(({ ns }) => ns)) / packetsPerTest;
  return all.map((one) => {
    const { way, testsAtOnce, packetsPerTest, rewrites } = one;
    const times = one.timed.map(({ ns }) => ns / packetsPerTest);
    const naive = all.find((other) => other.way === 'naive' && other.testsAtOnce === testsAtOnce)!;
    return {
      way,
      how: one.all[0]!.how,
      testsAtOnce,
      packetsPerTest,
      medianNs: Math.round(medianNs(one)),
      minNs: Math.round(Math.min(...times)),
      maxNs: Math.round(Math.max(...times)),
      timesFaster: Number((medianNs(naive) / medianNs(one)).toPrecision(3)),
      rewrites,
      pValues: one.all.slice(0, testsAtOnce).map(({ pValue }) => Number(pValue.toPrecision(3))),
      passed: one.all.every(({ passed }) => passed),
    };
  });
}

const titles: Readonly<Record<Way, string>> = {
  naive: '(a) single calls, not parked',
  syscall: '(b) syscall engine',
  planned: '(b) as the planner chooses',
};

export function formatReport({ release, dispatcher, rounds, rewritesRefused, cases }: Report): string {
  const number = (value: number): string => value.toLocaleString('en');
  const rows = cases.map((one) => [
    titles[one.way],
    String(one.testsAtOnce),
    number(one.packetsPerTest),
    `${number(one.medianNs)} (${number(one.minNs)} to ${number(one.maxNs)})`,
    one.timesFaster.toLocaleString('en'),
    one.rewrites === null ? '?' : number(one.rewrites),
    one.passed ? 'passed' : 'FAILED',
  ]);
  const head = ['', 'tests at once', 'packets each', 'ns a packet', 'times faster', 'rewrites', 'statistics'];
  const table = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  const line = (row: readonly string[]): string =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ');
  const ways = [...new Map(cases.map(({ way, how }) => [way, how]))];
  return [
    `Linux ${release}: ${dispatcher}`,
    `Running, counting and judging, a packet's share: median (min to max) over the tests of ${rounds} rounds.`,
    ...(rewritesRefused === null ? [] : [`Rewrites are not counted: ${rewritesRefused}.`]),
    '',
    ...table.map(line),
    '',
    ...ways.map(([way, how]) => `${titles[way]}: ${how}`),
  ].join('\n');
}
