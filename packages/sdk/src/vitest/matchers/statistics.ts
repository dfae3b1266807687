/** Matchers of distributions and churn. */
import { describeValue, expectOptions, invalidArgument } from '../../errors.ts';
import { barChart, type Churn, type Counts, type Distribution, distribution } from '../../stats/index.ts';
import { indented } from './failure-text.ts';
import type { Matcher } from './matcher.ts';
import type { ChurnBelowOptions, UniformOptions } from './types.ts';

/** Chance alone fails one test in a thousand at this level; a suite has dozens, so that is often enough to look. */
const DEFAULT_ALPHA = 0.001;

export const toBeUniform: Matcher<[options?: UniformOptions]> = function (received, options) {
  const { maxCv, alpha, among, expected } = expectOptions<UniformOptions>('toBeUniform', options, [
    'maxCv',
    'alpha',
    'among',
    'expected',
  ]);
  checkShare('toBeUniform: maxCv', maxCv);
  checkShare('toBeUniform: alpha', alpha);
  const level = alpha ?? (maxCv === undefined ? DEFAULT_ALPHA : undefined);
  const counted = isDistribution(received)
    ? received
    : distribution(received as ReadonlyMap<unknown, number>, {
        ...(among === undefined ? {} : { among }),
        ...(expected === undefined ? {} : { expected: expected as Counts<unknown> }),
      });
  const complaints = [
    ...(maxCv !== undefined && counted.cv > maxCv
      ? [`the coefficient of variation is ${percent(counted.cv)}, at most ${percent(maxCv)} was expected`]
      : []),
    ...(level !== undefined && counted.pValue < level
      ? [
          `chance gives counts as uneven as these with p = ${counted.pValue.toPrecision(3)}, less than ${level}`,
        ]
      : []),
  ];
  return {
    pass: complaints.length === 0,
    message: () => {
      const headline = this.isNot ? 'expected counts that are not uniform' : 'expected uniform counts';
      return [
        headline,
        ...complaints.map((one) => `  ${one}`),
        indented(barChart(counted, { rows: 16 })),
      ].join('\n\n');
    },
  };
};

export const toHaveChurnBelow: Matcher<[limit: number, options?: ChurnBelowOptions]> = function (
  received,
  limit,
  options,
) {
  const { of = 'disruption' } = expectOptions<ChurnBelowOptions>('toHaveChurnBelow', options, ['of']);
  if (of !== 'disruption' && of !== 'share') {
    throw invalidArgument(`toHaveChurnBelow: of must be 'disruption' or 'share', got ${describeValue(of)}`);
  }
  if (typeof limit !== 'number') {
    throw invalidArgument(`toHaveChurnBelow: limit must be a share from 0 to 1, got ${describeValue(limit)}`);
  }
  checkShare('toHaveChurnBelow: limit', limit);
  const churn = requireChurn(received);
  const what = of === 'disruption' ? 'flows that need not have moved' : 'flows that moved';
  return {
    pass: churn[of] < limit && churn.stillOnRemoved === 0,
    message: () => {
      const not = this.isNot ? 'not ' : '';
      return [
        `expected ${not}less than ${percent(limit)} of ${what}, got ${percent(churn[of])}`,
        [
          `  ${churn.total} flows, ${churn.moved} moved:`,
          `  ${churn.movedFromRemoved} from removed destinations, ${churn.movedToAdded} to added ones,`,
          `  ${churn.movedAmongOthers} among those that stayed (broken connections for nothing)`,
          ...(churn.stillOnRemoved > 0
            ? [`  ${churn.stillOnRemoved} are on a removed destination, which is always wrong`]
            : []),
        ].join('\n'),
      ].join('\n\n');
    },
  };
};

function checkShare(name: string, value: number | undefined): void {
  if (value !== undefined && !(typeof value === 'number' && value >= 0 && value <= 1e6)) {
    throw invalidArgument(`${name} must be a share (0.02 is 2 per cent), got ${describeValue(value)}`);
  }
}

function isDistribution(value: unknown): value is Distribution<unknown> {
  return value !== null && typeof value === 'object' && 'pValue' in value && 'cv' in value;
}

function requireChurn(value: unknown): Churn {
  if (value !== null && typeof value === 'object' && 'disruption' in value) return value as Churn;
  throw invalidArgument(
    `toHaveChurnBelow: expect() needs the result of churn(before, after), got ${describeValue(value)}`,
  );
}

function percent(share: number): string {
  return `${Number((share * 100).toPrecision(3))} %`;
}
