/** What has to work in every pool of vitest: see pools.test.ts. */
import { existsSync } from 'node:fs';
import { runMany, runXdp, XdpError, XdpObject } from 'xdptest';
import { packet } from 'xdptest/packet';
import { describe, expect, test } from 'xdptest/vitest';
import sample from './sample.bpf.c';

const given = new Uint8Array(64).fill(7);

describe('TestPool', () => {
  let directory = '';

  test('runs packets, one and many', async ({ t }) => {
    const { programs, maps } = t.load(sample);
    expect(runXdp(programs.decide, given)).toPass();
    expect(
      await runMany(
        programs.decide,
        Array.from({ length: 3000 }, () => given),
      ),
    ).toPass();
    expect(maps.counted).toHaveCount(0, { packets: 3001 });
    directory = t.tempDir();
    expect(existsSync(directory)).toBe(true);
  });

  test('has a fresh object, and finds what the last test opened closed', ({ t }) => {
    expect(t.load(sample).variables.runs).toBe(0n);
    expect(existsSync(directory)).toBe(false);
  });

  test('using closes an object', () => {
    let object: XdpObject;
    {
      using inner = XdpObject.load(sample.path);
      object = inner;
    }
    expect(object.isClosed).toBe(true);
  });

  test('bytes and errors are of the classes that the test knows', ({ t }) => {
    expect(
      runXdp(t.load(sample).programs.decide, packet().bytes.length === 0 ? given : given).packet,
    ).toEqual(given);
    expect(() => runXdp(t.load(sample).programs.decide, new Uint8Array(0))).toThrow(XdpError);
  });

  test.for([1, 2, 3])('an object of the file is put back: %d', (_, { t }) => {
    const { programs, variables, maps } = t.load(sample, { scope: 'file' });
    expect(variables.runs).toBe(0n);
    expect(maps.counted).toHaveCount(0, { packets: 0 });
    runXdp(programs.decide, given);
    expect(variables.runs).toBe(1n);
  });
});
