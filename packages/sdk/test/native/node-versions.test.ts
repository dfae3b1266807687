/** The addon under every Node that is supported: shared memory, growable shared memory, threads, disposal. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { jsonOf } from '../support/child.ts';

const require = createRequire(new URL('../nodes/package.json', import.meta.url));
/** npm packages that hold nothing but the binary; this machine's own version is the first. */
const versions: [string, string][] = [
  ['the one that runs this', process.execPath],
  ...(process.arch === 'x64' ? ['22', '24'] : []).map((major): [string, string] => [
    major,
    join(require.resolve(`node-${major}/package.json`), '../bin/node'),
  ]),
];

interface Answer {
  readonly version: string;
  readonly single: [string, number];
  readonly shared: string;
  readonly growable: number[];
  readonly lengths: boolean;
  readonly wrong: number;
  readonly variable: string;
  readonly closed: string;
}

describe.each(versions)('Node %s', (_, node) => {
  test('runs packets in ordinary, shared and growable shared memory, alone and in threads', async () => {
    const answer = await jsonOf<Answer>(
      `const object = load('actions');
       const one = runXdp(object.program('prepend'), new Uint8Array(64).fill(7));
       // A view with an offset, of shared memory.
       const shared = new Uint8Array(new SharedArrayBuffer(300), 100, 64).fill(7);
       const fromShared = runXdp(object.program('prepend'), shared);
       // Memory that grows between two calls, as the outputs of a run do.
       const buffer = new SharedArrayBuffer(64, { maxByteLength: 4096 });
       const tracking = new Uint8Array(buffer);
       const growable = [runXdp(object.program('seen'), tracking).verdict];
       buffer.grow(1000);
       growable.push(runXdp(object.program('seen'), tracking).verdict);
       growable.push(runXdp(object.program('seen'), new Uint8Array(buffer, 500, 100)).verdict);
       const packets = Array.from({ length: 50_000 }, (_, i) => Uint8Array.from({ length: 60 + (i % 9) }, () => i));
       let wrong = 0;
       for (const engine of ['batch', 'syscall']) {
         const results = await runMany(object.program('by_content'), packets, { engine, workers: 2 });
         for (const { index, packet, verdict } of results) {
           const byte = index % 256;
           if (verdict !== (2 * byte) % 5 || packet.length !== 60 + (index % 9) || packet[20] !== byte) wrong++;
         }
       }
       object.variables.runs = 2n ** 63n;
       const variable = String(object.variables.runs);
       object[Symbol.dispose]();
       let closed = '';
       try { runXdp(object.program('pass'), shared); } catch ({ code }) { closed = code; }
       console.log(JSON.stringify({
         version: process.version, single: [one.action, one.packet.length], growable, wrong, variable, closed,
         shared: Buffer.compare(fromShared.packet, one.packet) === 0 ? 'same' : 'different',
       }));
       await closeWorkers();`,
      { node },
    );
    expect(answer).toEqual({
      version: expect.stringMatching(/^v\d+/),
      single: ['XDP_TX', 84],
      shared: 'same',
      growable: [64, 1000, 100],
      wrong: 0,
      variable: String(2n ** 63n),
      closed: 'XDP_CLOSED',
    });
  });

  test('loads the addon in many threads at once, which end without a crash and leave no descriptor', async () => {
    const { answers, left } = await jsonOf<{ answers: number[]; left: number }>(
      `const { Worker } = await import('node:worker_threads');
       const { readdirSync, readlinkSync } = await import('node:fs');
       const code = \`
         import(\${JSON.stringify(packageUrl)}).then(async ({ XdpObject, runXdp }) => {
           const { parentPort, workerData } = await import('node:worker_threads');
           let bytes = 0;
           for (let i = 0; i < 3; i++) {
             // Half of them are left for the end of the thread to close.
             const object = XdpObject.load(\${JSON.stringify(objectPath('actions'))});
             bytes += runXdp(object.program('seen'), new Uint8Array(60 + workerData)).verdict;
             if (workerData % 2) object.close();
           }
           parentPort.postMessage(bytes);
         });\`;
       const answers = await Promise.all(Array.from({ length: 8 }, (_, workerData) => new Promise((resolve, reject) => {
         const worker = new Worker(code, { eval: true, workerData });
         let bytes;
         worker.on('message', (message) => { bytes = message; });
         worker.on('error', reject);
         worker.on('exit', () => resolve(bytes));
       })));
       const left = readdirSync('/proc/self/fd').filter((fd) => {
         try { return readlinkSync('/proc/self/fd/' + fd).includes('bpf'); } catch { return false; }
       }).length;
       console.log(JSON.stringify({ answers, left }));`,
      { node },
    );
    expect(answers).toEqual(Array.from({ length: 8 }, (_, i) => 3 * (60 + i)));
    expect(left).toBe(0);
  });
});
