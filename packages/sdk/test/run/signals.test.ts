/**
 * Signals: a profiler sends one every fraction of a millisecond, to which the kernel answers EINTR (test runs) and EAGAIN
 * (the verifier). No result and no map may show it.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { probeKernel } from 'xdptest';
import { finished, jsonOf, startScript } from '../support/child.ts';

/** Flags of a node that interrupts itself every 100 us. */
function profiled(): { nodeArgs: string[]; cwd: string } {
  const cwd = mkdtempSync(join(tmpdir(), 'xdptest-profile-'));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  return { nodeArgs: ['--cpu-prof', '--cpu-prof-interval=100'], cwd };
}

describe('under a profiler', () => {
  test('repeats come to their end, and the program runs exactly as often as was asked', async () => {
    const { runs, verdict } = await jsonOf<{ runs: number; verdict: number }>(
      `const object = load('actions');
       const { verdict } = runXdp(object.program('count'), new Uint8Array(64), { repeat: 3_000_000 });
       console.log(JSON.stringify({ runs: Number(object.variables.runs), verdict }));`,
      profiled(),
    );
    expect({ runs, verdict }).toEqual({ runs: 3_000_000, verdict: 2 });
  });

  test.each(['syscall', 'auto'])('a run of many with engine %s gives the same results', async (engine) => {
    const result = await jsonOf<{ runs: number; bytes: number; verdicts: number }>(
      `const object = load('actions');
       const packets = Array.from({ length: 100_000 }, (_, i) => Uint8Array.from({ length: 64 }, (_, j) => i >> j));
       const counted = await runMany(object.program('count'), packets, { engine: '${engine}', workers: 1 });
       const swapped = await runMany(object.program('by_content'), packets, { engine: '${engine}', workers: 2 });
       let bytes = 0, verdicts = 0;
       for (const { index, packet, verdict } of swapped) {
         const [a, b] = packets[index];
         if (packet[0] !== b || packet[1] !== a || packet.length !== 64) bytes++;
         if (verdict !== (a + b) % 5) verdicts++;
       }
       console.log(JSON.stringify({ runs: Number(object.variables.runs), bytes, verdicts }));
       await closeWorkers();`,
      profiled(),
    );
    expect(result).toEqual({ runs: 100_000, bytes: 0, verdicts: 0 });
  });

  test('a program loads that takes longer to verify than the time between two signals', async () => {
    // libbpf tries five times: without the signals held this fails with EAGAIN.
    const { loads } = await jsonOf<{ loads: number }>(
      `let loads = 0;
       for (let i = 0; i < 5; i++) { load('repeats').close(); loads++; }
       console.log(JSON.stringify({ loads }));`,
      profiled(),
    );
    expect(loads).toBe(5);
  });

  test('the probe comes to the same conclusion, and measures calls, not retries', async () => {
    type Answer = { state: string; rewriteNs: number; limits: object };
    const { state, rewriteNs, limits } = await jsonOf<Answer>(
      `const { dispatcher: { state, rewriteNs }, limits } = probeKernel();
       console.log(JSON.stringify({ state, rewriteNs, limits }));`,
      profiled(),
    );
    const calm = probeKernel();
    expect(state).toBe(calm.dispatcher.state);
    expect(limits).toEqual(calm.limits);
    // Retried until no signal came, it was seconds in place of some 20 ms.
    expect(rewriteNs).toBeLessThan(1e9);
  });
});

test('signals that cannot be held are answered by running again, and that is reported', async () => {
  // SIGSTOP interrupts every call but one with repeat 1.
  const child = startScript(
    `const program = load('repeats').program('slow');
     probeKernel();
     console.log('ready');
     const { verdict, retries } = runXdp(program, new Uint8Array(64), { repeat: 20_000 });
     console.log(JSON.stringify({ verdict, retries }));`,
  );
  const done = finished(child);
  await once(child.stdout!, 'data');
  for (let i = 0; i < 60; i++) {
    child.kill('SIGSTOP');
    child.kill('SIGCONT');
    await sleep(5);
  }
  const { code, stdout, stderr } = await done;
  expect(stderr).toBe('');
  expect(code).toBe(0);
  const { verdict, retries } = JSON.parse(stdout.split('\n')[1]!) as { verdict: number; retries: number };
  expect([2, 3]).toContain(verdict);
  expect(retries).toBeGreaterThan(0);
});

test('what signals keep from ending is given up at the time limit, with a name for it', async () => {
  const child = startScript(
    `const program = load('repeats').program('slow');
     probeKernel();
     console.log('ready');
     try {
       runXdp(program, new Uint8Array(64), { repeat: 2_000_000_000, timeoutMs: 200 });
     } catch ({ code }) { console.log(code); }`,
  );
  const done = finished(child);
  await once(child.stdout!, 'data');
  for (let i = 0; i < 80; i++) {
    child.kill('SIGSTOP');
    child.kill('SIGCONT');
    await sleep(4);
  }
  expect((await done).stdout).toMatch(/^ready\nXDP_(INTERRUPTED|TIMEOUT)\n$/);
});
