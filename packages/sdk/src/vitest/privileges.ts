/** Whether this process may run XDP programs at all. */
import { XdpError } from '../errors.ts';
import { testRunLimits } from '../kernel/index.ts';

let reason: string | undefined | null = null;

/** Why it may not, or undefined; found by trying, once in each worker. */
export function unprivilegedReason(): string | undefined {
  if (reason === null) reason = tryToRun();
  return reason;
}

function tryToRun(): string | undefined {
  try {
    testRunLimits();
    return undefined;
  } catch (error) {
    if (error instanceof XdpError && error.code === 'XDP_NOT_PERMITTED') return error.message;
    // Whatever else it is, the tests themselves say it better.
    return undefined;
  }
}
