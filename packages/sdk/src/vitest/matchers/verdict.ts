/** Matchers of verdicts: of one packet, or of all packets of a run. */
import { invalidArgument } from '../../errors.ts';
import { type RunResults, type XdpAction, xdpActions } from '../../run/index.ts';
import { failureText } from './failure-text.ts';
import type { Matcher, MatcherContext, MatcherResult } from './matcher.ts';
import { isResults, nameOf, requireVerdict, subjectOf } from './subject.ts';

/** How many places are listed of a run in which some packets have another verdict. */
const SHOWN = 8;

export function expectVerdict(
  context: MatcherContext,
  matcher: string,
  received: unknown,
  expected: number,
): MatcherResult {
  if (isResults(received)) return expectAll(context, matcher, received, expected);
  const subject = subjectOf(matcher, received);
  const verdict = requireVerdict(matcher, subject);
  const not = context.isNot ? 'anything but ' : '';
  return {
    pass: verdict === expected,
    message: () => failureText(`expected ${not}${nameOf(expected)}, got ${nameOf(verdict)}`, subject),
  };
}

function expectAll(
  context: MatcherContext,
  matcher: string,
  results: RunResults,
  expected: number,
): MatcherResult {
  if (context.isNot) {
    throw invalidArgument(
      `expect(results).not.${matcher}() is unclear: no packet, or not all of them? Use results.countActions()`,
    );
  }
  const others = results.verdicts.reduce((count, verdict) => count + (verdict === expected ? 0 : 1), 0);
  return {
    pass: others === 0,
    message: () => {
      const indexes = [...results.verdicts.keys()].filter((i) => results.verdicts[i] !== expected);
      const list = indexes
        .slice(0, SHOWN)
        .map((i) => `#${i} ${nameOf(results.verdicts[i]!)}`)
        .join(', ');
      const more = others > SHOWN ? ` and ${others - SHOWN} more` : '';
      const first = indexes[0]!;
      return failureText(
        `expected ${nameOf(expected)} for all ${results.length} packets, ${others} got something else: ${list}${more}`,
        subjectOf(matcher, results.at(first)),
        `  the first of them, #${first}, as it came out:`,
      );
    },
  };
}

function verdictNumber(verdict: XdpAction | number): number {
  const number = typeof verdict === 'string' ? xdpActions.indexOf(verdict) : verdict;
  if (Number.isInteger(number) && number >= 0 && number <= 0xffff_ffff) return number;
  throw invalidArgument(
    `toHaveVerdict: expected one of ${xdpActions.join(', ')}, or a whole number, got ${JSON.stringify(verdict)}`,
  );
}

function matcherOf(name: string, action: XdpAction): Matcher<[]> {
  const expected = xdpActions.indexOf(action);
  return function (received) {
    return expectVerdict(this, name, received, expected);
  };
}

export const toPass = matcherOf('toPass', 'XDP_PASS');
export const toDrop = matcherOf('toDrop', 'XDP_DROP');
export const toTx = matcherOf('toTx', 'XDP_TX');
export const toAbort = matcherOf('toAbort', 'XDP_ABORTED');

export const toHaveVerdict: Matcher<[verdict: XdpAction | number]> = function (received, verdict) {
  return expectVerdict(this, 'toHaveVerdict', received, verdictNumber(verdict));
};
