/** What vitest gives a matcher and wants of it, as far as ours go. */

/** The `this` of a matcher. */
export interface MatcherContext {
  readonly isNot: boolean;
  readonly equals: (a: unknown, b: unknown) => boolean;
}

export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
  /** Given where vitest's own diff of two values helps. */
  readonly actual?: unknown;
  readonly expected?: unknown;
}

export type Matcher<A extends readonly unknown[]> = (
  this: MatcherContext,
  received: unknown,
  ...args: A
) => MatcherResult;
