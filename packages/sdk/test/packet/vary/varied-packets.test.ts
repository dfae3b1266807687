import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import {
  eth,
  icmp,
  ipv4,
  list,
  PacketBatch,
  packet,
  payload,
  random,
  range,
  sequence,
  tcp,
  udp,
  VariedPackets,
  vary,
} from 'xdptest/packet';
import { rounds } from '../../support/emulation.ts';

const invalid = (message: RegExp) =>
  expect.objectContaining({ code: 'XDP_INVALID_ARGUMENT', message: expect.stringMatching(message) });

/** Compares without a message for every byte: there are millions. */
function same(a: Iterable<Uint8Array>, b: Iterable<Uint8Array>): boolean {
  const [first, second] = [[...a], [...b]];
  return first.length === second.length && first.every((bytes, i) => Buffer.compare(bytes, second[i]!) === 0);
}

const template = packet(eth(), ipv4({ dst: '192.0.2.1' }), udp({ dport: 443 }), payload('0123456789'));
const fields = { 'ipv4.src': range('10.0.0.0/12'), 'udp.sport': random({ seed: 1 }) };

describe('VariedPackets', () => {
  const sizes = [0, 10, 700].map((size) => packet(eth(), ipv4(), udp(), payload(new Uint8Array(size))));
  const varied = vary(template, fields, 5000);
  const mixed = vary(sizes, fields, 5000);

  test('iterating, at() and a batch give the same packets', () => {
    for (const packets of [varied, mixed]) {
      const batch = packets.toBatch();
      expect(batch).toBeInstanceOf(PacketBatch);
      expect(batch.length).toBe(5000);
      expect(same(packets, batch)).toBe(true);
      expect(packets.at(4321)).toEqual(batch.at(4321));
      expect(packets.at(-1)).toEqual(batch.at(-1));
      expect(packets.at(5000)).toBeUndefined();
      expect(packets.at(-5001)).toBeUndefined();
      expect(packets.at(0.5)).toBeUndefined();
    }
  });

  test('several templates come in turn', () => {
    expect([...mixed.toBatch(0, 6).lengths]).toEqual([42, 52, 742, 42, 52, 742]);
    expect(mixed.byteLength()).toBe(mixed.toBatch().bytes.length);
  });

  test('any share, made alone, is a part of the whole', () => {
    for (const packets of [varied, mixed]) {
      const whole = packets.toBatch();
      for (const [from, to] of [
        [0, 1],
        [1, 2],
        [511, 1025],
        [4999, 5000],
        [1234, 1234],
        [700, 5000],
      ] as const) {
        expect(same(packets.toBatch(from, to), [...whole].slice(from, to)), `${from} to ${to}`).toBe(true);
      }
    }
  });

  test('workers fill the columns of one batch', () => {
    for (const packets of [varied, mixed]) {
      const whole = packets.toBatch();
      const bytes = new Uint8Array(whole.bytes.length);
      const offsets = new Uint32Array(5000);
      const lengths = new Uint32Array(5000);
      for (const [from, to] of [
        [3333, 5000],
        [0, 1111],
        [1111, 3333],
      ] as const) {
        VariedPackets.fromRecipe(structuredClone(packets.recipe)).fill(bytes, offsets, lengths, from, to);
      }
      expect(same([bytes], [whole.bytes])).toBe(true);
      expect(offsets).toEqual(new Uint32Array(whole.offsets));
      expect(lengths).toEqual(new Uint32Array(whole.lengths));
    }
  });

  test('fill writes nothing outside of the share', () => {
    const size = mixed.byteLength(100, 200);
    const bytes = new Uint8Array(size + 64).fill(0xee);
    const offsets = new Uint32Array(104).fill(7);
    const lengths = new Uint32Array(104).fill(7);
    mixed.fill(bytes, offsets, lengths, 100, 200, 2, 32);
    expect(bytes.subarray(0, 32).every((byte) => byte === 0xee)).toBe(true);
    expect(bytes.subarray(-32).every((byte) => byte === 0xee)).toBe(true);
    expect([...offsets.subarray(0, 3), ...offsets.subarray(-2)]).toEqual([7, 7, 32, 7, 7]);
    expect([...lengths.subarray(0, 2), ...lengths.subarray(-2)]).toEqual([7, 7, 7, 7]);
    expect([...new PacketBatch(bytes, offsets.subarray(2, 102), lengths.subarray(2, 102))]).toEqual([
      ...mixed.toBatch(100, 200),
    ]);
  });

  test('another thread makes the same packets from the recipe', async () => {
    const source = `
      const { parentPort, workerData } = require('node:worker_threads');
      import('xdptest/packet').then(({ VariedPackets }) => {
        parentPort.postMessage(VariedPackets.fromRecipe(workerData).toBatch(2000, 3000).bytes);
      });`;
    const worker = new Worker(source, { eval: true, workerData: mixed.recipe });
    const bytes = await new Promise<Uint8Array>((resolve, reject) =>
      worker.once('message', resolve).once('error', reject),
    );
    await worker.terminate();
    expect(same([bytes], [mixed.toBatch(2000, 3000).bytes])).toBe(true);
  });

  test('no packets, no fields, no bytes', () => {
    expect([...vary(template, fields, 0)]).toEqual([]);
    expect(vary(template, fields, 0).toBatch().length).toBe(0);
    expect([...vary(template, {}, 3)]).toEqual([template.bytes, template.bytes, template.bytes]);
    expect([...vary(new Uint8Array(0), {}, 2)].map((bytes) => bytes.length)).toEqual([0, 0]);
  });

  test('the batch lies in shared memory, the template is left alone', () => {
    const before = template.bytes.slice();
    expect(varied.toBatch().bytes.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(template.bytes).toEqual(before);
  });

  test('refuses spans and columns that do not fit', () => {
    expect(() => varied.toBatch(10, 5)).toThrow(invalid(/to must be a whole number from 10 to 5000, got 5/));
    expect(() => varied.toBatch(0, 5001)).toThrow(invalid(/from 0 to 5000/));
    const short = new Uint32Array(5);
    expect(() => varied.fill(new Uint8Array(10_000), short, new Uint32Array(6), 0, 6, 0)).toThrow(
      invalid(/slot/),
    );
    expect(() => varied.fill(new Uint8Array(100), short, short, 0, 5, 0)).toThrow(invalid(/fill: at/));
    expect(() => VariedPackets.fromRecipe({ version: 2 } as never)).toThrow(invalid(/recipe of version 1/));
  });

  test('a batch of more than 4 GiB is refused, and its parts are not', () => {
    const huge = vary(packet(eth(), ipv4(), udp(), payload(new Uint8Array(1458))), fields, 4_000_000);
    expect(() => huge.toBatch()).toThrow(expect.objectContaining({ code: 'XDP_BATCH_TOO_LARGE' }));
    expect(huge.toBatch(3_999_999)).toHaveLength(1);
  });
});

describe('distinct packets', () => {
  const keysOf = (packets: VariedPackets) =>
    new Set([...packets].map((bytes) => bytes.subarray(26, 36).join())).size;

  test('fields that count give every combination once', () => {
    const packets = vary(
      template,
      { 'ipv4.src': range('10.0.0.0/24'), 'udp.sport': range(1000, 1127) },
      256 * 128,
      { distinct: true },
    );
    expect(packets.distinct).toBe(32_768);
    expect(keysOf(packets)).toBe(32_768);
  });

  test('a million by source and port, the sources in random order', () => {
    const count = rounds(1_000_000, 50_000);
    const packets = vary(
      template,
      { 'ipv4.src': range('10.0.0.0/14', { shuffle: 1 }), 'udp.sport': range(1024, 1031) },
      count,
      { distinct: true },
    );
    const batch = packets.toBatch();
    const view = new DataView(batch.bytes.buffer);
    const seen = new Set<number>();
    for (const offset of batch.offsets)
      seen.add(view.getUint32(offset + 26) * 65_536 + view.getUint16(offset + 34));
    expect(seen.size).toBe(count);
  });

  test('too few combinations are refused when distinct packets are asked for', () => {
    const few = { 'ipv4.src': range('10.0.0.0/24'), 'udp.sport': random({ seed: 1 }) };
    expect(() => vary(template, few, 257, { distinct: true })).toThrow(
      invalid(/257 packets, but .* only 256 combinations/),
    );
    expect(vary(template, few, 257).distinct).toBe(256);
  });

  test('a list with a value twice promises nothing, and spoils nothing', () => {
    const packets = vary(
      template,
      {
        'ipv4.ttl': list([1, 1, 2]),
        'ipv4.src': range('10.0.0.0/24'),
        'udp.sport': sequence({ from: 0, to: 5 }),
      },
      256 * 6,
      { distinct: true },
    );
    expect(keysOf(packets)).toBe(256 * 6);
    expect([...packets].slice(0, 6).map((bytes) => bytes[22])).toEqual([1, 1, 2, 1, 1, 2]);
  });
});

describe('vary refuses', () => {
  const packetInvalid = (message: RegExp) =>
    expect.objectContaining({ code: 'XDP_PACKET_INVALID', message: expect.stringMatching(message) });

  test('fields that the template does not have', () => {
    expect(() => vary(template, { 'tcp.sport': random() }, 1)).toThrow(packetInvalid(/no such layer/));
    expect(() => vary(template, { 'udp.port': random() } as object, 1)).toThrow(packetInvalid(/no field/));
    expect(() => vary([template, packet(eth(), ipv4(), tcp())], { 'udp.sport': random() }, 1)).toThrow(
      packetInvalid(/no such layer/),
    );
  });

  test('fields of variable length', () => {
    expect(() => vary(template, { 'raw.bytes': random() }, 1)).toThrow(invalid(/variable length/));
  });

  test('a field that says what other bytes mean', () => {
    const ping = packet(eth(), ipv4(), icmp({ id: 1, seq: 2 }), payload('data'));
    expect(() => vary(ping, { 'icmp.type': list([8, 3]) }, 10)).toThrow(
      packetInvalid(/other parts of it depend on icmp.type/),
    );
  });

  test('the same bits twice', () => {
    expect(() => vary(template, { 'ipv4.src': random(), 'ipv4[0].src': random() }, 1)).toThrow(
      invalid(/ipv4.src and ipv4\[0\].src are the same bits/),
    );
  });

  test('arguments of the wrong kind', () => {
    expect(() => vary(template, fields, -1)).toThrow(invalid(/count/));
    expect(() => vary(template, null as never, 1)).toThrow(invalid(/fields/));
    expect(() => vary([], {}, 1)).toThrow(invalid(/at least one template/));
    expect(() => vary('abc' as never, {}, 1)).toThrow(invalid(/template 0/));
    expect(() => vary(template, {}, 1, { unique: true } as object)).toThrow(invalid(/no option "unique"/));
  });
});
