/**
 * A short way for the matchers that a table of ten thousand packets calls ten thousand times. vitest makes a dozen objects
 * for each call of a matcher; where the verdict is as expected there is nothing to say, and none of them is needed.
 */
import { chai } from 'vitest';
import { RunResult, type XdpAction, xdpActions } from '../../run/index.ts';

const shortcuts: Readonly<Record<string, XdpAction>> = {
  toPass: 'XDP_PASS',
  toDrop: 'XDP_DROP',
  toTx: 'XDP_TX',
  toAbort: 'XDP_ABORTED',
};

type Method = (this: object, ...args: unknown[]) => unknown;

/** Puts the short way in front of the matchers of these names, which `expect.extend` has added before. */
export function addShortcuts(): void {
  const { flag } = chai.util;
  const prototype = chai.Assertion.prototype as unknown as Record<string, Method>;
  for (const [name, action] of Object.entries(shortcuts)) {
    const whole = prototype[name]!;
    const expected = xdpActions.indexOf(action);
    Object.defineProperty(prototype, name, {
      configurable: true,
      writable: true,
      value(this: object, ...args: unknown[]) {
        const received: unknown = flag(this, 'object');
        const isPlain = received instanceof RunResult && flag(this, 'negate') !== true;
        // A promise is no RunResult, and a soft or polled expectation that holds has nothing to remember.
        return isPlain && received.verdict === expected ? undefined : whole.apply(this, args);
      },
    });
  }
}
