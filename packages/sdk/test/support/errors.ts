/** What a call throws, for tests that look at more than its message. */
import { XdpError } from 'xdptest';

/** The XdpError that `call` throws; anything else that happens fails the test. */
export function thrownBy(call: () => unknown): XdpError {
  let result: unknown;
  try {
    result = call();
  } catch (error) {
    return expectXdpError(error);
  }
  throw new Error(`expected an XdpError, but the call returned ${String(result)}`);
}

/** The XdpError that a promise is rejected with. */
export async function rejectionOf(promise: Promise<unknown>): Promise<XdpError> {
  let result: unknown;
  try {
    result = await promise;
  } catch (error) {
    return expectXdpError(error);
  }
  throw new Error(`expected an XdpError, but the promise was resolved with ${String(result)}`);
}

function expectXdpError(error: unknown): XdpError {
  if (error instanceof XdpError) return error;
  throw new Error(`expected an XdpError, got ${String(error)}`, { cause: error });
}
