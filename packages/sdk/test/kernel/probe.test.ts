/** The facts of the kernel that runs these tests. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { probeKernel } from 'xdptest';
import { errnoName, systemError } from '#dist/kernel/index.js';
import { jsonOf } from '../support/child.ts';
import { thrownBy } from '../support/errors.ts';

describe('the facts', () => {
  const facts = probeKernel();

  test('agree with what the system says of itself', () => {
    expect(facts.release).toBe(readFileSync('/proc/sys/kernel/osrelease', 'utf8').trim());
    expect(facts.btf).toBe(existsSync('/sys/kernel/btf/vmlinux'));
    const possible = /(\d+)$/.exec(readFileSync('/sys/devices/system/cpu/possible', 'utf8').trim())![1];
    expect(facts.cpus.possible).toBe(Number(possible) + 1);
    expect(facts.privileges.missing).toEqual([]);
  });

  test('hold together', () => {
    const { limits, features, dispatcher } = facts;
    expect(limits.minPacketBytes).toBeLessThanOrEqual(14);
    expect(limits.maxPacketBytes).toBeGreaterThanOrEqual(limits.maxLinearBytes);
    expect(limits.maxMetadataBytes % 4).toBe(0);
    expect(limits.maxMetadataBytes > 0).toBe(limits.context);
    expect(features.parking).toBe(dispatcher.evidence.parkedNs !== undefined);
    expect(dispatcher.evidence.parkingRefused === undefined).toBe(features.parking);
    expect(dispatcher.evidence.rewritesRefused === undefined).toBe(
      dispatcher.evidence.rewrites !== undefined,
    );
    expect(dispatcher.reason).not.toBe('');
  });

  test('are measured once, unless fresh ones are asked for', () => {
    expect(probeKernel()).toBe(facts);
    const fresh = probeKernel({ fresh: true });
    expect(fresh).not.toBe(facts);
    expect(fresh.limits).toEqual(facts.limits);
    expect(fresh.dispatcher.state).toBe(facts.dispatcher.state);
  });

  test('cannot be changed by who holds them', () => {
    expect(Object.isFrozen(facts)).toBe(true);
    expect(Object.isFrozen(facts.dispatcher.evidence.unparkedNs)).toBe(true);
  });

  test('survive the way through JSON', () => {
    expect(JSON.parse(JSON.stringify(facts))).toMatchObject({ limits: facts.limits, cpus: facts.cpus });
  });
});

test('two processes that probe at once do not mislead each other', async () => {
  const script = 'console.log(JSON.stringify(probeKernel().dispatcher.state))';
  const states = await Promise.all(Array.from({ length: 3 }, () => jsonOf<string>(script)));
  expect(new Set(states)).toEqual(new Set([probeKernel().dispatcher.state]));
});

test.each([null, 5, 'fresh', [], { fresh: 'yes' }, { fresh: 1 }, { old: true }])(
  'options that are none are refused: %j',
  (options) => {
    expect(thrownBy(() => probeKernel(options as never)).code).toBe('XDP_INVALID_ARGUMENT');
  },
);

describe('error numbers', () => {
  test('that only the kernel knows have a name and an explanation', () => {
    expect(errnoName(524)).toContain('ENOTSUPP');
    expect(errnoName(524)).toContain('does not support');
    expect(systemError('doing this', 'bpf', 524).message).toContain('ENOTSUPP');
  });

  test('of libc have their first name', () => {
    expect(errnoName(22)).toBe('EINVAL');
    expect(errnoName(11)).toBe('EAGAIN');
  });

  test('of nobody are numbers', () => {
    expect(errnoName(4000)).toBe('error 4000');
  });
});
