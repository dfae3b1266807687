/** What tests in machines with other kernels have to show: see kernels.test.ts. */
import { writeFileSync } from 'node:fs';
import { release } from 'node:os';
import { probeKernel, runXdp } from 'xdptest';
import { describe, expect, test } from 'xdptest/vitest';
import sample from './sample.bpf.c';

const given = new Uint8Array(64).fill(7);

describe('TestKernels', () => {
  test('tests run on the kernel', ({ t }) => {
    const { programs, maps } = t.load(sample);
    expect(runXdp(programs.decide, given)).toPass();
    expect(maps.counted).toHaveCount(0, { packets: 1 });
    console.log(`${process.env.XDPTEST_KERNEL} is ${release()}: ${probeKernel().dispatcher.state}`);
    // Larger than what a pipe takes at once, while something else is printed.
    console.log('long'.repeat(100_000));
    process.stderr.write('straight to the stream\n');
  });

  test('what the kernel lacks is skipped', { requires: ['live-frames'] }, () => {
    expect(probeKernel().features.liveFrames).toBe(true);
  });

  test('fails, with a capture', ({ t }) => {
    expect(runXdp(t.load(sample).programs.decide, given)).toDrop();
  });

  test.runIf(process.env.SAMPLE_LOCKUP !== undefined)('the kernel reports a lockup', async () => {
    // As watchdog_timer_fn() prints it; a real one takes 22 s of a hung kernel. Printed, it harms no kernel.
    writeFileSync('/dev/kmsg', '<0>watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [sample:1]\n');
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  });
});
