/** Memory: a million packets with all their outputs, ten times over, in a process of its own. */
import { describe, expect, test } from 'vitest';
import { jsonOf } from '../support/child.ts';
import { rounds } from '../support/emulation.ts';

interface Memory {
  /** The most that was ever resident, in MiB. */
  readonly peak: number;
  readonly after: readonly number[];
  readonly engine: string;
}

describe.each([
  ['auto', rounds(10, 4)],
  // Slower, and the memory is handled by the same code: fewer.
  ['syscall', rounds(4, 3)],
])('1,000,000 packets of 64 bytes through the engine %s, %i times', (engine, runs) => {
  test('take at most 400 MiB, and do not grow', async () => {
    const { peak, after } = await jsonOf<Memory>(
      `const { readFileSync } = await import('node:fs');
       const status = (field) => Number(new RegExp(field + ':\\\\s+(\\\\d+)').exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
       const batch = PacketBatch.allocate(new Array(1_000_000).fill(64));
       const program = load('actions').program('prepend');
       const after = [];
       let engine;
       for (let run = 0; run < ${runs}; run++) {
         const results = await runMany(program, batch, { engine: '${engine}' });
         engine = results.plan.engine;
         if (results.at(999_999).packet.length !== 84) throw new Error('wrong output');
         after.push(status('VmRSS'));
       }
       await closeWorkers();
       console.log(JSON.stringify({ peak: status('VmHWM'), after, engine }));`,
    );
    expect(peak).toBeLessThanOrEqual(400);
    // The first runs warm up; from then on a leak of one run's outputs (84 MB) would show.
    const half = Math.ceil(runs / 2);
    expect(Math.max(...after.slice(half))).toBeLessThan(Math.max(...after.slice(0, half)) + 60);
  });
});
