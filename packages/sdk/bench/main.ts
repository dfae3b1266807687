/** `pnpm bench`: every performance claim of the project, measured against a plain C loop in the same run. */
import { probeKernel } from 'xdptest';
import { benchEngines } from './engines.ts';
import { benchExample } from './example.ts';
import { readOptions } from './options.ts';
import { benchPackets } from './packets.ts';
import type { Row } from './statistics.ts';
import { benchWakeups } from './wakeups.ts';

const options = readOptions(process.argv.slice(2));

function show(row: Row): void {
  if (options.json) {
    console.log(JSON.stringify(row));
    return;
  }
  const ratio = row.ratioToC === null ? '' : `${row.ratioToC.toFixed(3)} of C`;
  console.log(
    [
      row.case.padEnd(24),
      row.engine.padEnd(24),
      `${row.bytes} B`.padStart(7),
      `${row.workers} worker${row.workers === 1 ? ' ' : 's'}`,
      `${row.medianNs.toFixed(1)} ns`.padStart(11),
      `(${row.minNs.toFixed(1)} to ${row.maxNs.toFixed(1)}, ${row.rounds} rounds)`.padEnd(32),
      ratio,
    ].join('  '),
  );
}

function note(text: string): void {
  if (options.json) console.error(text);
  else console.log(text);
}

note(`Linux ${probeKernel().release}; nanoseconds a packet: median (min to max)`);
await benchEngines(options, show);
await benchExample(options, show);
await benchPackets(options, show);
await benchWakeups(options, note);
