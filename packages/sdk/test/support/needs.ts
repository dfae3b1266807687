/** Tests that need something which may be absent are skipped with the reason, which the report shows. */
import { beforeEach } from 'vitest';

/** All tests of the group (or file) that calls this are skipped if there is a reason. */
export function needs(reason: string | undefined): void {
  beforeEach(({ skip }) => skip(reason !== undefined, reason));
}
