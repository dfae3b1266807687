/** toRedirect: the verdict, and where to. */
import { expectOptions, invalidArgument } from '../../errors.ts';
import { type RedirectTarget, xdpActions } from '../../run/index.ts';
import { failureText } from './failure-text.ts';
import type { Matcher } from './matcher.ts';
import { isResults, requireVerdict, subjectOf } from './subject.ts';
import { expectVerdict } from './verdict.ts';

/** The target that is wanted: the index of an interface, or an entry of a map; of that any part. */
export type RedirectExpectation =
  | number
  | { readonly ifindex: number }
  | { readonly map?: string; readonly key?: number };

const XDP_REDIRECT = xdpActions.indexOf('XDP_REDIRECT');

export const toRedirect: Matcher<[target?: RedirectExpectation]> = function (received, target) {
  if (target === undefined || isResults(received)) {
    if (target !== undefined) {
      throw invalidArgument('toRedirect: give one packet of the run, results.at(i), with a target');
    }
    return expectVerdict(this, 'toRedirect', received, XDP_REDIRECT);
  }
  const subject = subjectOf('toRedirect', received);
  if (requireVerdict('toRedirect', subject) !== XDP_REDIRECT) {
    return expectVerdict(this, 'toRedirect', received, XDP_REDIRECT);
  }
  const wanted = checkTarget(target);
  const { redirect } = subject;
  if (redirect === undefined) {
    throw invalidArgument(
      'toRedirect: the target of this redirect is not known (see RunResult.redirect): check the verdict alone, toRedirect()',
    );
  }
  const not = this.isNot ? 'anything but ' : '';
  return {
    pass: Object.entries(wanted).every(([part, value]) => redirect[part as keyof RedirectTarget] === value),
    message: () =>
      failureText(
        `expected a redirect to ${not}${inWords(wanted)}, got one to ${inWords(redirect)}`,
        subject,
      ),
  };
};

interface Target {
  readonly ifindex?: number;
  readonly map?: string | undefined;
  readonly mapId?: number;
  readonly key?: number;
}

function checkTarget(target: RedirectExpectation): Target {
  return typeof target === 'number'
    ? { ifindex: target }
    : expectOptions<Target>('toRedirect', target, ['ifindex', 'map', 'key']);
}

function inWords({ ifindex, map, mapId, key }: Target): string {
  if (ifindex !== undefined) return `interface ${ifindex}`;
  const place = map ?? (mapId === undefined ? 'a map' : `map ${mapId}`);
  return key === undefined ? place : `${place}[${key}]`;
}
