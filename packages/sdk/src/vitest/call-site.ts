/** Where in the user's code something was called: for `t.log`, and for the place of a failure. */
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A line of a file. */
export interface CallSite {
  readonly file: string;
  readonly line: number;
}

const ownDirectory = fileURLToPath(new URL('..', import.meta.url));
const frame = /(?:\(|at )(?:async )?(?:file:\/\/)?(\/[^()]*?):(\d+):\d+\)?$/;

/** The caller's place: the innermost frame that is not of this package. vitest maps stacks to the sources. */
export function callSite(): CallSite | undefined {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 8;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = limit;
  return firstForeign(stack);
}

/** The first frame of a stack outside of this package. Exported for the reporter. */
export function firstForeign(stack: string): CallSite | undefined {
  for (const line of stack.split('\n')) {
    const match = frame.exec(line);
    if (match !== null && !match[1]!.startsWith(ownDirectory)) {
      return { file: match[1]!, line: Number(match[2]) };
    }
  }
  return undefined;
}

/** `distribution.test.ts:40`, as Go shows a place. */
export function formatSite(site: CallSite): string {
  return `${basename(site.file)}:${site.line}`;
}
