/** Nothing is left behind in the kernel: no program, map or link, however the one who made them ends. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { finished, startScript } from '../support/child.ts';
import { aliveOf, heldBy, leftOf } from '../support/kernel-ids.ts';

/** Work that goes on and on, in this thread and in a worker, with a parked driver or a parked program. */
const endless = `
const object = load('actions');
const batch = PacketBatch.allocate(new Array(200_000).fill(64));
await runMany(object.program('by_content'), batch, { workers: 2 });
console.log('running');
for (;;) await runMany(object.program('by_content'), batch, { workers: 2 });`;

/** Text of a script: waits until the test says `go`, however slow the machine is. */
const untilTold = `
const told = new Promise((resolve) => {
  const alive = setInterval(() => {}, 1000);
  process.once('SIGUSR2', () => { clearInterval(alive); resolve(); });
});
console.log('running');
await told;`;

const go = (child: ChildProcess): void => void child.kill('SIGUSR2');

/** What a script holds when it has said that it runs. */
async function holdings(child: ChildProcess): Promise<string[]> {
  await once(child.stdout!, 'data');
  const ids = heldBy(child.pid!);
  expect(ids.filter((id) => id.startsWith('prog:')).length).toBeGreaterThan(0);
  expect(ids.filter((id) => id.startsWith('map:')).length).toBeGreaterThan(0);
  expect(aliveOf(ids)).toEqual(ids);
  return ids;
}

describe('a process', () => {
  test('that is killed in the middle of a run of many', async () => {
    const child = startScript(endless);
    const done = finished(child);
    const ids = await holdings(child);
    child.kill('SIGKILL');
    expect((await done).signal).toBe('SIGKILL');
    expect(await leftOf(ids)).toEqual([]);
  });

  test('that ends by an error of its own', async () => {
    const child = startScript(`
      const object = load('actions');
      await runMany(object.program('pass'), [new Uint8Array(64)], { workers: 2 });
      ${untilTold}
      throw new Error('the end');`);
    const done = finished(child);
    const ids = await holdings(child);
    go(child);
    expect((await done).code).toBe(1);
    expect(await leftOf(ids)).toEqual([]);
  });

  test('that exits with everything open, and does not wait for its idle workers', async () => {
    const child = startScript(`
      const object = load('actions');
      await runMany(object.program('pass'), [new Uint8Array(64)], { workers: 2 });
      ${untilTold}`);
    const done = finished(child);
    const ids = await holdings(child);
    const started = Date.now();
    go(child);
    expect((await done).code).toBe(0);
    // Workers idle for 30 s before they end by themselves.
    expect(Date.now() - started).toBeLessThan(20_000);
    expect(await leftOf(ids)).toEqual([]);
  });
});

test('a closed object leaves nothing while the process lives on', async () => {
  const child = startScript(`
    const object = load('actions');
    ${untilTold}
    object.close();
    console.log('closed');
    setInterval(() => {}, 1000);`);
  const ids = await holdings(child);
  go(child);
  await once(child.stdout!, 'data');
  expect(heldBy(child.pid!)).toEqual([]);
  expect(await leftOf(ids)).toEqual([]);
});

test('closeWorkers leaves nothing of the drivers while the process lives on', async () => {
  const child = startScript(`
    const object = load('actions');
    await runMany(object.program('pass'), [new Uint8Array(64)], { workers: 2, engine: 'batch' });
    object.close();
    ${untilTold}
    await closeWorkers();
    console.log('closed');
    setInterval(() => {}, 1000);`);
  const ids = await holdings(child);
  go(child);
  await once(child.stdout!, 'data');
  expect(heldBy(child.pid!)).toEqual([]);
  expect(await leftOf(ids)).toEqual([]);
});

test('a worker thread that is terminated in the middle of its work leaves nothing', async () => {
  const child = startScript(`
    const { Worker } = await import('node:worker_threads');
    const code = \`
      import('\${packageUrl}').then(async ({ XdpObject, runXdp }) => {
        const object = XdpObject.load(\${JSON.stringify(objectPath('actions'))});
        const { parentPort } = await import('node:worker_threads');
        // The probes of the first run hold programs of their own for a moment.
        runXdp(object.program('pass'), new Uint8Array(64), { repeat: 1000 });
        parentPort.postMessage('running');
        for (;;) runXdp(object.program('pass'), new Uint8Array(64), { repeat: 1000 });
      });\`;
    const worker = new Worker(code, { eval: true });
    await new Promise((resolve) => worker.once('message', resolve));
    ${untilTold}
    await worker.terminate();
    console.log('terminated');
    setInterval(() => {}, 1000);`);
  const ids = await holdings(child);
  go(child);
  await once(child.stdout!, 'data');
  expect(heldBy(child.pid!)).toEqual([]);
  expect(await leftOf(ids)).toEqual([]);
});
