/** Stopping a run of many: at the end of a slice, with the number of packets that ran; and progress on the way. */
import { describe, expect, test } from 'vitest';
import { type EngineName, type RunProgress, runMany } from 'xdptest';
import { PacketBatch } from 'xdptest/packet';
import { rejectionOf } from '../support/errors.ts';
import { action, load } from '../support/objects.ts';

const packet = new Uint8Array(64);
/** Far more than what runs before the first look at the signal. */
const COUNT = 3_000_000;
const many = PacketBatch.allocate(new Array<number>(COUNT).fill(64));

describe.each<EngineName>(['syscall', 'batch'])('an abort in the middle (engine %s)', (engine) => {
  test.each([1, 2])('ends the run with the number of packets that ran (%i workers)', async (workers) => {
    const object = load('actions');
    const controller = new AbortController();
    const reason = new Error('enough');
    const running = runMany(object.program('count'), many, {
      engine,
      workers,
      outputs: 'verdicts',
      signal: controller.signal,
    });
    setTimeout(() => controller.abort(reason), 5);
    const error = await rejectionOf(running);
    expect(error.code).toBe('XDP_ABORTED');
    expect(error.cause).toBe(reason);
    expect(error.message).toContain(`after ${error.completed} of ${COUNT}`);
    // Nothing goes on running: the program has counted just these.
    expect(object.variables.runs).toBe(BigInt(error.completed!));
    expect(error.completed).toBeGreaterThan(0);
    expect(error.completed).toBeLessThan(COUNT);
  });
});

describe('an abort before the run', () => {
  test('is an abort after 0 packets', async () => {
    const object = load('actions');
    const error = await rejectionOf(
      runMany(object.program('count'), [packet], { signal: AbortSignal.abort(new Error('before')) }),
    );
    expect([error.code, error.completed]).toEqual(['XDP_ABORTED', 0]);
    expect(object.variables.runs).toBe(0n);
  });

  test('is seen while packets are collected', async () => {
    const controller = new AbortController();
    const source = async function* (): AsyncGenerator<Uint8Array> {
      for (;;) {
        yield packet;
        controller.abort();
      }
    };
    const error = await rejectionOf(runMany(action('pass'), source(), { signal: controller.signal }));
    expect([error.code, error.completed]).toEqual(['XDP_ABORTED', 0]);
  });

  test('is seen while a source keeps everybody waiting', async () => {
    const controller = new AbortController();
    const source = async function* (): AsyncGenerator<Uint8Array> {
      yield packet;
      await new Promise(() => {});
    };
    const running = runMany(action('pass'), source(), { signal: controller.signal });
    setTimeout(() => controller.abort(), 5);
    expect((await rejectionOf(running)).code).toBe('XDP_ABORTED');
  });
});

test('an abort after the run changes nothing, and leaves no listener behind', async () => {
  const controller = new AbortController();
  let listeners = 0;
  const { signal } = controller;
  const counted = new Proxy(signal, {
    get(target, key) {
      if (key === 'addEventListener') listeners++;
      if (key === 'removeEventListener') listeners--;
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const results = await runMany(action('pass'), [packet], { signal: counted });
  controller.abort();
  expect(results.length).toBe(1);
  expect(listeners).toBe(0);
});

describe('onProgress', () => {
  test('is called now and then and at the end, with growing numbers', async () => {
    const seen: RunProgress[] = [];
    await runMany(action('pass'), PacketBatch.allocate(new Array<number>(300_000).fill(64)), {
      engine: 'syscall',
      workers: 1,
      outputs: 'verdicts',
      onProgress: (progress) => seen.push(progress),
    });
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.at(-1)).toEqual({ completed: 300_000, total: 300_000 });
    expect(seen.every(({ completed }, i) => i === 0 || completed >= seen[i - 1]!.completed)).toBe(true);
  });

  test('that throws ends the run with its error, in place of the process', async () => {
    const object = load('actions');
    await expect(
      runMany(object.program('count'), many, {
        engine: 'syscall',
        workers: 2,
        outputs: 'verdicts',
        onProgress: () => {
          throw new RangeError('progress');
        },
      }),
    ).rejects.toThrow(RangeError);
    expect(object.variables.runs).toBeLessThan(BigInt(COUNT));
  });
});
