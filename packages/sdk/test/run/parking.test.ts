/** Parking: a parked program's repeats leave the dispatcher alone, and a refusal is no error. */

import { afterAll, describe, expect, test } from 'vitest';
import { probeKernel, runXdp, type XdpProgram } from 'xdptest';
import { type NativeHandle, native } from '#dist/native.js';
import { park, withParked } from '#dist/run/parking.js';
import { jsonOf } from '../support/child.ts';
import { missing } from '../support/missing.ts';
import { needs } from '../support/needs.ts';
import { action } from '../support/objects.ts';
import { type RewriteMeter, rewriteMeter } from '../support/rewrites.ts';

const { dispatcher, features } = probeKernel();
const refusal = features.parking
  ? undefined
  : `parking is refused here: ${dispatcher.evidence.parkingRefused}`;

function parked(program: XdpProgram): NativeHandle {
  const handle = park(program);
  if ('refused' in handle) throw new Error(`parking was refused: ${handle.refused}`);
  return handle;
}

describe('a parked program', () => {
  const meter = rewriteMeter();
  needs(refusal ?? (typeof meter === 'string' ? meter : undefined));
  const rewritesPerCall = (program: XdpProgram): number => (meter as RewriteMeter).perCall(program);
  afterAll(() => {
    if (typeof meter !== 'string') meter.close();
  });

  test('runs with repeat 2 without a rewrite of the dispatcher, and with two once it is not parked', () => {
    const program = action('pass');
    const handle = parked(program);
    try {
      expect(rewritesPerCall(program)).toBeLessThan(1);
    } finally {
      native().closeHandle(handle);
    }
    expect(rewritesPerCall(program)).toBeGreaterThanOrEqual(1);
  });

  test('is parked for as long as the work takes, and no longer, even when it throws', () => {
    const program = action('pass');
    const seen: number[] = [];
    expect(() =>
      withParked(program, true, () => {
        seen.push(rewritesPerCall(program));
        throw new Error('the work');
      }),
    ).toThrow('the work');
    expect(seen[0]).toBeLessThan(1);
    expect(rewritesPerCall(program)).toBeGreaterThanOrEqual(1);
  });
});

test('parking leaves the thread in its own network namespace', ({ skip }) => {
  skip(refusal !== undefined, refusal);
  skip(missing.context !== undefined, missing.context);
  const program = action('seen_ifindex');
  const before = runXdp(program, new Uint8Array(64), { context: { ingressIfindex: 1 } }).verdict;
  native().closeHandle(parked(program));
  expect(runXdp(program, new Uint8Array(64), { context: { ingressIfindex: 1 } }).verdict).toBe(before);
});

test('work that is to be parked runs all the same where parking is refused', async () => {
  // Without CAP_SYS_ADMIN there is no namespace to be had.
  const withoutNamespaces = ['setpriv', '--bounding-set=-sys_admin', '--inh-caps=-sys_admin'];
  const answer = await jsonOf<{ runs: number; parking: boolean; refused: string; state: string }>(
    `const { dispatcher, features } = probeKernel();
     const object = load('actions');
     runXdp(object.program('count'), new Uint8Array(64), { repeat: 1_000_000 });
     console.log(JSON.stringify({
       runs: Number(object.variables.runs), parking: features.parking, state: dispatcher.state,
       refused: dispatcher.evidence.parkingRefused,
     }));`,
    { wrap: withoutNamespaces },
  );
  expect(answer).toEqual({ runs: 1_000_000, parking: false, refused: 'EPERM', state: dispatcher.state });
});
