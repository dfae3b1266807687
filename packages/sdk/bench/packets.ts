/** The packet room: packets made by vary() into a batch, and packets dissected, on one core. */
import { dissect, eth, ipv4, packet, payload, random, range, udp, vary } from 'xdptest/packet';
import type { Options } from './options.ts';
import { type Row, summarize } from './statistics.ts';

export function benchPackets(options: Options, show: (row: Row) => void): void {
  if (!options.matches('packets')) return;
  const template = packet(
    eth(),
    ipv4({ dst: '192.0.2.1' }),
    udp({ dport: 443 }),
    payload(new Uint8Array(22)),
  );
  const fields = { 'ipv4.src': range('10.0.0.0/12'), 'udp.sport': random({ seed: 1 }) };
  const varied = vary(template, fields, options.packets);
  const batch = varied.toBatch();
  const few = Math.ceil(options.packets / 10);
  const making: number[] = [];
  const dissecting: number[] = [];
  for (let round = 0; round <= options.rounds; round++) {
    const make = time(() => varied.fill(batch.bytes, batch.offsets, batch.lengths, 0, varied.length));
    let layers = 0;
    const read = time(() => {
      for (let i = 0; i < few; i++) layers += dissect(batch.at(i)!).layers.length;
    });
    if (layers !== few * 4) throw new Error(`dissected ${layers} layers of ${few} packets`);
    if (round === 0) continue;
    making.push(make / varied.length);
    dissecting.push(read / few);
  }
  const what = { case: 'packets', bytes: 64, workers: 1 };
  show(summarize({ ...what, engine: 'vary, two fields' }, making, undefined));
  show(summarize({ ...what, engine: 'dissect' }, dissecting, undefined));
}

function time(work: () => void): number {
  const started = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - started);
}
