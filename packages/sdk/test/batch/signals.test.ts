/** Signals that arrive all the time change no answer of the batch engine: it goes on from the packet where it was. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { runMany, XdpObject } from 'xdptest';
import { randomPackets } from '../support/random.ts';
import { bpfObject, expectSameAnswers } from './support.ts';

test('a storm of SIGHUP, which is never held back', async () => {
  using object = XdpObject.load(bpfObject('mutator'));
  const program = object.program('mutator');
  const packets = randomPackets(7, 20_000, 14, 400);
  const calm = await runMany(program, packets, { engine: 'syscall', workers: 1 });
  let arrived = 0;
  const count = (): void => {
    arrived++;
  };
  process.on('SIGHUP', count);
  // A shell's loop sends thousands a second; one that is pending already is not sent twice.
  const storm = spawn('sh', ['-c', `while kill -HUP ${process.pid} 2>/dev/null; do :; done`]);
  try {
    await once(storm, 'spawn');
    let retries = 0;
    for (let round = 0; round < 400 && (retries === 0 || arrived < 100); round++) {
      const stormy = await runMany(program, packets, { engine: 'batch', workers: 1 });
      retries += stormy.retries;
      expectSameAnswers({ single: calm, batch: stormy });
    }
    expect(arrived).toBeGreaterThan(0);
    // At least once a signal fell into a call, and the call was resumed.
    expect(retries).toBeGreaterThan(0);
  } finally {
    storm.kill('SIGKILL');
    await once(storm, 'exit');
    // Signals on their way must not find the default handler, which ends the process.
    await new Promise((resolve) => setTimeout(resolve, 50));
    process.off('SIGHUP', count);
  }
});
