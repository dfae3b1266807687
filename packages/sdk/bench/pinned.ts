/** Runs packets a few times over; wakeups.ts starts this on a CPU that it shares with a task that wants to wake up. */
import { runMany, XdpObject } from 'xdptest';
import { PacketBatch } from 'xdptest/packet';

const [engine, packets] = process.argv.slice(2) as ['batch' | 'syscall', string];
using object = XdpObject.load(new URL('../../../test/bpf/actions.bpf.o', import.meta.url));
const batch = PacketBatch.allocate(new Array<number>(Number(packets)).fill(64));
for (let i = 0; i < 5; i++) await runMany(object.program('prepend'), batch, { engine, workers: 1 });
