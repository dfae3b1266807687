/** What ends a test or a subtest. */
import { firstForeign } from './call-site.ts';
import { type LogRecord, logsForMessage, type SubtestRecord } from './records.ts';

/** What `t.fatal` throws and `t.error` keeps. */
export class TestFailure extends Error {
  override readonly name = 'TestFailure';
}

/** What `t.skip` throws in a subtest; in a test it is vitest's own. */
export class SubtestSkipped {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** Errors that a subtest has answered for: to the tests around it they are its failure, not their own. */
const answered = new WeakSet<Error>();

/** Puts failures into the record of a subtest, and makes them errors of its test that say which subtest it was. */
export function failuresOfSubtest(thrown: readonly unknown[], record: SubtestRecord, test: string): Error[] {
  const path = record.name.slice(test.length + 1);
  return thrown.map((one) => {
    const error = asError(one);
    if (answered.has(error)) return error;
    answered.add(error);
    record.failures.push({ message: error.message, site: firstForeign(error.stack ?? '') });
    return withText(error, `${path}: `, logsForMessage(record.logs, ` of ${path}`));
  });
}

/** The logs of a test, added to the errors that it failed with. */
export function addLogs(
  errors: readonly { message: string; stack?: string | undefined }[],
  logs: readonly LogRecord[],
): void {
  const [first] = errors;
  if (first !== undefined && logs.length > 0) withText(first, '', logsForMessage(logs));
}

/** An error's stack begins with its message: both change, or reporters that print stacks would miss the text. */
function withText<E extends { message: string; stack?: string | undefined }>(
  error: E,
  before: string,
  after: string,
): E {
  const { message, stack } = error;
  const text = `${before}${message}${after}`;
  error.message = text;
  if (stack?.includes(message)) error.stack = stack.replace(message, () => text);
  return error;
}
