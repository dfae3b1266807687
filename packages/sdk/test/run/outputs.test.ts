/** What comes back from a run: bytes that grew or shrank at either end, verdicts of any kind, and nothing written astray. */
import { constants } from 'node:os';
import { describe, expect, test } from 'vitest';
import { probeKernel, runMany, runXdp, type XdpProgram } from 'xdptest';
import { RUN, testRun } from '#dist/native.js';
import { programHandle } from '#dist/object/index.js';
import { runError } from '#dist/run/run-xdp.js';
import { action } from '../support/objects.ts';

const { limits } = probeKernel();
const counting = (size: number): Uint8Array => Uint8Array.from({ length: size }, (_, i) => i % 256);

describe('a packet that changes its length', () => {
  test('grows at the head by all of the headroom, on the longest linear packet', () => {
    const { action: verdict, packet } = runXdp(action('prepend_all'), counting(limits.maxLinearBytes));
    expect(verdict).toBe('XDP_TX');
    expect(packet).toHaveLength(limits.maxLinearBytes + 216);
    expect(packet.subarray(216)).toEqual(counting(limits.maxLinearBytes));
  });

  test('grows at the head by all of the headroom in a run of many', async () => {
    const results = await runMany(
      action('prepend_all'),
      Array.from({ length: 50 }, () => counting(limits.maxLinearBytes)),
    );
    for (const { packet } of results) {
      expect(packet).toHaveLength(limits.maxLinearBytes + 216);
      expect(Buffer.compare(packet!.subarray(216), counting(limits.maxLinearBytes))).toBe(0);
    }
  });

  test('grows at the tail', () => {
    const { packet } = runXdp(action('grow_tail'), counting(64));
    expect(packet).toHaveLength(1064);
    expect(packet.subarray(0, 64)).toEqual(counting(64));
  });

  test('shrinks at the tail', () => {
    expect(runXdp(action('cut_tail'), counting(64)).packet).toEqual(counting(60));
  });

  test('leaves the caller’s bytes alone', () => {
    const bytes = counting(64);
    runXdp(action('prepend'), bytes);
    expect(bytes).toEqual(counting(64));
  });

  test('never takes the length of the packet before it', async () => {
    // data_size_out is in and out: a reused one would cut the longer packet that follows.
    const sizes = [1000, 20, 3000, 14, 64];
    const results = await runMany(action('pass'), sizes.map(counting));
    expect([...results.lengths]).toEqual(sizes);
    expect([...results].map(({ packet }) => packet!.length)).toEqual(sizes);
  });
});

describe('a verdict', () => {
  test.each([
    ['aborted', 'XDP_ABORTED', 0],
    ['drop', 'XDP_DROP', 1],
    ['pass', 'XDP_PASS', 2],
    ['tx', 'XDP_TX', 3],
    ['redirect', 'XDP_REDIRECT', 4],
  ])('of %s is %s', (name, actionName, verdict) => {
    const result = runXdp(action(name), counting(64));
    expect([result.action, result.verdict]).toEqual([actionName, verdict]);
  });

  test('that is no action is the number, and no error: -22 is not EINVAL', () => {
    const result = runXdp(action('no_action'), counting(64));
    expect([result.action, result.verdict]).toEqual([4_294_967_274, 4_294_967_274]);
  });

  test('that is no action is the number in a run of many, too', async () => {
    const results = await runMany(action('no_action'), [counting(64)]);
    expect(results.countActions()).toEqual(new Map([[4_294_967_274, 1]]));
  });
});

describe('the native call', () => {
  const call = (program: XdpProgram, packet: Uint8Array, output?: Uint8Array): Uint32Array => {
    const result = new Uint32Array(RUN.length);
    const useContext = limits.context ? 1 : 0;
    testRun({ program: programHandle(program), packet, output, useContext }, result);
    return result;
  };

  test('tells ENOSPC from the verdict, which is valid, and gives the true size', () => {
    const small = new Uint8Array(10);
    const result = call(action('tx'), counting(64), small);
    expect(result[RUN.errno]).toBe(constants.errno.ENOSPC);
    expect(result[RUN.verdict]).toBe(3);
    expect(result[RUN.outputSize]).toBe(64);
    expect(small).toEqual(counting(10));
  });

  test('writes nothing where there is no room: with a size of 0 the kernel would write the whole packet', () => {
    const memory = new Uint8Array(4096).fill(0xaa);
    const result = call(action('tx'), counting(64), memory.subarray(2048, 2048));
    expect(result[RUN.errno]).toBe(0);
    expect(memory.every((byte) => byte === 0xaa)).toBe(true);
  });

  test('gives the true size without any output', () => {
    const result = call(action('prepend'), counting(64));
    expect([result[RUN.errno], result[RUN.outputSize]]).toEqual([0, 84]);
  });
});

test('an output that was cut is an error of its own', () => {
  const run = { program: action('pass'), context: { ingressIfindex: 0, rxQueue: 0 } };
  expect(runError('runXdp', run, constants.errno.ENOSPC, 0).code).toBe('XDP_OUTPUT_TRUNCATED');
});

test('verdicts only: no bytes are kept, lengths are', async () => {
  const results = await runMany(action('prepend'), [counting(64), counting(100)], { outputs: 'verdicts' });
  expect([...results.lengths]).toEqual([84, 120]);
  expect(results.bytes).toBeUndefined();
  expect(results.at(0)!.packet).toBeUndefined();
  expect(results.at(0)!.layers).toEqual([]);
});
