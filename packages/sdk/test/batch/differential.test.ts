/** The batch engine gives exactly the answers of single calls: verdict, length, metadata and every byte. */
import { expect, test } from 'vitest';
import { runMany, XdpObject } from 'xdptest';
import { rounds } from '../support/emulation.ts';
import { missing } from '../support/missing.ts';
import { randomPackets } from '../support/random.ts';
import { bpfObject, byBothEngines, expectSameAnswers } from './support.ts';

const seed = Number(process.env.XDPTEST_SEED ?? 20_261_130);

test('random packets of 14 to 3,520 bytes that move head, tail and metadata', async () => {
  using object = XdpObject.load(bpfObject('mutator'));
  const packets = randomPackets(seed, rounds(60_000, 20_000));
  const both = await byBothEngines(object.programs.mutator!, packets);
  expectSameAnswers(both);
  // The programs did move things: else the comparison would prove little.
  const { single, batch } = both;
  const changed = packets.filter((packet, i) => single.lengths[i] !== packet.length).length;
  expect(changed).toBeGreaterThan(packets.length / 4);
  expect(batch.metadataLengths.filter((length) => length > 0).length).toBeGreaterThan(packets.length / 60);
});

test('per-CPU state in maps is the same', async () => {
  using object = XdpObject.load(bpfObject('mutator'));
  const packets = randomPackets(seed + 1, 5_000);
  const sums: unknown[] = [];
  for (const engine of ['syscall', 'batch'] as const) {
    object.maps.seen!.clear();
    await runMany(object.programs.mutator!, packets, { engine, workers: 1 });
    sums.push(Array.from({ length: 8 }, (_, key) => object.maps.seen!.sum(key)));
  }
  expect(sums[1]).toEqual(sums[0]);
  expect(sums[0]).not.toContain(0n);
});

test('programs that tail-call', async () => {
  using object = XdpObject.load(bpfObject('mutator'));
  object.maps.steps!.set(0, object.programs.second_step!);
  object.maps.steps!.set(1, object.programs.mutator!);
  const both = await byBothEngines(object.programs.first_step!, randomPackets(seed + 2, 5_000));
  expectSameAnswers(both);
  expect(both.single.countActions().has(998)).toBe(false);
});

test('a program that uses all of its tail calls has one less in the batch engine, as documented', async () => {
  using object = XdpObject.load(bpfObject('mutator'));
  object.maps.steps!.set(2, object.programs.tail_calls!);
  const { single, batch } = await byBothEngines(object.programs.tail_calls!, [new Uint8Array(64)]);
  expect(batch.verdicts[0]).toBe(single.verdicts[0]! - 1);
});

test('xdp.frags programs, also with longer packets, which run by single calls in their place', async ({
  skip,
}) => {
  skip(missing.frags !== undefined, missing.frags);
  using object = XdpObject.load(bpfObject('frags'));
  const packets = randomPackets(seed + 3, 3_000);
  for (let i = 7; i < packets.length; i += 100) packets[i] = randomPackets(seed + i, 1, 4_000, 9_000)[0]!;
  expectSameAnswers(await byBothEngines(object.programs.mutator_frags!, packets));
});

test('programs that were loaded with the old attach type', async () => {
  using object = XdpObject.load(bpfObject('mutator'), {
    programs: {
      mutator: { expectedAttachType: 'none' },
      first_step: { autoload: false },
      second_step: { autoload: false },
      tail_calls: { autoload: false },
    },
  });
  expectSameAnswers(await byBothEngines(object.programs.mutator!, randomPackets(seed + 4, 3_000)));
});

test('an object without BTF', async () => {
  using object = XdpObject.load(bpfObject('no-btf'));
  expectSameAnswers(await byBothEngines(object.programs.swap!, randomPackets(seed + 5, 3_000)));
});

test('one packet, and numbers of packets around the size of a batch', async () => {
  using object = XdpObject.load(bpfObject('mutator'));
  for (const count of [1, 2, 1023, 1024, 1025, 2049]) {
    expectSameAnswers(
      await byBothEngines(object.programs.mutator!, randomPackets(seed + count, count, 14, 200)),
    );
  }
});

test('outputs that outgrow one batch are all kept', async () => {
  using object = XdpObject.load(bpfObject('actions'));
  // 1,024 packets of 64 bytes that come out with 1,064: more than the driver's room for outputs.
  const packets = randomPackets(seed + 6, 5_000, 64, 65);
  expectSameAnswers(await byBothEngines(object.programs.grow_tail!, packets));
});

test('several workers give the same results in the order of the input', async () => {
  using object = XdpObject.load(bpfObject('mutator'));
  const packets = randomPackets(seed + 7, 60_000, 14, 300);
  const one = await runMany(object.programs.mutator!, packets, { engine: 'syscall', workers: 1 });
  const three = await runMany(object.programs.mutator!, packets, { engine: 'batch', workers: 3 });
  expectSameAnswers({ single: one, batch: three });
});

test('verdicts alone', async () => {
  using object = XdpObject.load(bpfObject('mutator'));
  const { single, batch } = await byBothEngines(object.programs.mutator!, randomPackets(seed + 8, 4_000), {
    outputs: 'verdicts',
  });
  expect(batch.verdicts).toEqual(single.verdicts);
  expect(batch.lengths).toEqual(single.lengths);
  expect(batch.bytes).toBeUndefined();
});
