/** The driver's limits stand in C and in TypeScript, and are the same. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DRIVER } from '#dist/run/engines/driver-limits.js';

const header = readFileSync(new URL('../../native/bpf/driver.h', import.meta.url), 'utf8');

/** The value of a constant, a number or a shift. */
function constant(name: string): number {
  const text = new RegExp(`\\b${name} = (\\d+)(?: << (\\d+))?,`).exec(header);
  return Number(text?.[1]) * 2 ** Number(text?.[2] ?? 0);
}

test('driver-limits.ts says what driver.h says', () => {
  expect(DRIVER).toEqual({
    packets: constant('BATCH_PACKETS'),
    inputBytes: constant('BATCH_INPUT_BYTES'),
    outputBytes: constant('BATCH_OUTPUT_BYTES'),
    maxPacketBytes: constant('BATCH_PACKET_BYTES'),
    flags: {
      time: constant('DRIVER_TIME'),
      staleHead: constant('DRIVER_STALE_HEAD'),
      redirects: constant('DRIVER_REDIRECTS'),
    },
  });
});
