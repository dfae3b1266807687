import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { type CaptureRecord, readCapture, readCaptureSync } from 'xdptest/packet';
import { CaptureBuilder, frame } from '../../support/capture-builder.ts';

const orders = ['little', 'big'] as const;

function brief({ bytes, index: _, ...record }: CaptureRecord) {
  return { ...record, tag: bytes.at(-1), length: bytes.length };
}

describe.each(orders)('pcap, %s-endian', (order) => {
  test.each([
    [0xa1b2c3d4, 1_700_000_000_123_456_000n],
    [0xa1b23c4d, 1_700_000_000_000_123_456n],
  ])('magic %i gives its resolution', (magic, timestampNs) => {
    const { bytes } = new CaptureBuilder(order)
      .pcapHeader(magic)
      .pcapPacket(1_700_000_000, 123_456, frame(7), 1500)
      .pcapPacket(1, 2, frame(8, 61));
    const capture = readCaptureSync(bytes);
    const records = [...capture];
    expect(capture.format).toBe('pcap');
    expect(capture.interfaces).toEqual([{ id: 0, linkType: 1, snapLength: 65535, comments: [] }]);
    expect(records.map(brief)).toEqual([
      { tag: 7, length: 60, originalLength: 1500, timestampNs, interfaceId: 0, linkType: 1, comments: [] },
      expect.objectContaining({ tag: 8, length: 61, originalLength: 61 }),
    ]);
  });
});

describe.each(orders)('pcapng, %s-endian', (order) => {
  test('interfaces, resolutions, offsets, comments, flags and verdicts', () => {
    const b = new CaptureBuilder(order);
    const verdict = (type: number, value: bigint) =>
      b.option(7, Buffer.concat([Buffer.of(type), b.u64(value)]));
    b.section(b.option(4, 'by hand'), b.option(0, ''))
      .interface(1, 96, b.option(2, 'eth0'), b.option(3, 'first'), b.option(1, 'a port'), b.option(0, ''))
      .interface(1, 0, b.option(9, Buffer.of(9)))
      .interface(113, 0, b.option(9, Buffer.of(0x80 | 20)), b.option(14, b.u64(-5n)))
      .block(5, b.u32(0), b.u32(0), b.u32(0))
      .block(4, b.u16(0), b.u16(0))
      .block(0x0bad, b.u32(32473), Buffer.from('anything'))
      .enhancedPacket(
        0,
        1_000_001n,
        frame(1),
        1400,
        b.option(1, 'first'),
        b.option(1, 'sécond'),
        b.option(2, b.u32(2)),
        b.option(0, ''),
        Buffer.from('after the end mark'),
      )
      .enhancedPacket(1, 0x1234_5678_9abc_def0n, frame(2, 61), 61, verdict(2, 0x1_0000_0003n))
      .enhancedPacket(2, 10n << 20n, frame(3, 62), 62, verdict(1, 2n))
      .enhancedPacket(
        1,
        1n,
        frame(4, 63),
        63,
        b.option(7, Buffer.of(0, 0xaa, 0xbb)),
        b.option(99, 'unknown'),
      );
    const capture = readCaptureSync(b.bytes);
    expect([...capture].map(brief)).toEqual([
      {
        tag: 1,
        length: 60,
        originalLength: 1400,
        timestampNs: 1_000_001_000n,
        interfaceId: 0,
        linkType: 1,
        comments: ['first', 'sécond'],
        flags: 2,
      },
      {
        tag: 2,
        length: 61,
        originalLength: 61,
        timestampNs: 0x1234_5678_9abc_def0n,
        interfaceId: 1,
        linkType: 1,
        comments: [],
        verdict: { kind: 'xdp', value: 0x1_0000_0003n },
      },
      {
        tag: 3,
        length: 62,
        originalLength: 62,
        timestampNs: 5_000_000_000n,
        interfaceId: 2,
        linkType: 113,
        comments: [],
        verdict: { kind: 'tc', value: 2n },
      },
      {
        tag: 4,
        length: 63,
        originalLength: 63,
        timestampNs: 1n,
        interfaceId: 1,
        linkType: 1,
        comments: [],
        verdict: { kind: 'other', type: 0, bytes: Uint8Array.of(0xaa, 0xbb) },
      },
    ]);
    expect(capture.format).toBe('pcapng');
    expect(capture.interfaces).toEqual([
      { id: 0, linkType: 1, snapLength: 96, name: 'eth0', description: 'first', comments: ['a port'] },
      { id: 1, linkType: 1, snapLength: 0, comments: [] },
      { id: 2, linkType: 113, snapLength: 0, comments: [] },
    ]);
  });

  test('a verdict that Wireshark 4.0 has written as a queue, and a queue that is one', () => {
    const b = new CaptureBuilder(order);
    b.section()
      .interface(1, 0)
      .enhancedPacket(0, 0n, frame(1), 60, b.option(6, Buffer.concat([Buffer.of(2), b.u64(3n)])))
      .enhancedPacket(0, 0n, frame(2), 60, b.option(6, b.u32(2)));
    expect([...readCaptureSync(b.bytes)].map((r) => r.verdict)).toEqual([
      { kind: 'xdp', value: 3n },
      undefined,
    ]);
  });

  test('simple packets take their length from the first interface, and have no time', () => {
    const b = new CaptureBuilder(order);
    b.section().interface(1, 64).block(3, b.u32(60), frame(1)).block(3, b.u32(900), frame(2, 64));
    expect([...readCaptureSync(b.bytes)].map(brief)).toEqual([
      {
        tag: 1,
        length: 60,
        originalLength: 60,
        timestampNs: undefined,
        interfaceId: 0,
        linkType: 1,
        comments: [],
      },
      {
        tag: 2,
        length: 64,
        originalLength: 900,
        timestampNs: undefined,
        interfaceId: 0,
        linkType: 1,
        comments: [],
      },
    ]);
  });

  test('the obsolete packet block', () => {
    const b = new CaptureBuilder(order);
    b.section()
      .interface(1, 0)
      .block(
        2,
        b.u16(0),
        b.u16(9),
        b.u32(0),
        b.u32(5),
        b.u32(61),
        b.u32(70),
        Buffer.concat([frame(1, 61), Buffer.alloc(3)]),
        b.option(1, 'old'),
      );
    expect([...readCaptureSync(b.bytes)].map(brief)).toEqual([
      {
        tag: 1,
        length: 61,
        originalLength: 70,
        timestampNs: 5000n,
        interfaceId: 0,
        linkType: 1,
        comments: ['old'],
      },
    ]);
  });

  test('a second section has the other byte order and interfaces of its own', () => {
    const other = new CaptureBuilder(order === 'little' ? 'big' : 'little')
      .section()
      .interface(101, 0)
      .enhancedPacket(0, 2n, frame(2));
    const b = new CaptureBuilder(order)
      .section()
      .interface(1, 0)
      .interface(1, 0)
      .enhancedPacket(1, 1n, frame(1))
      .raw(other.bytes);
    const capture = readCaptureSync(b.bytes);
    expect([...capture].map((r) => [r.interfaceId, r.linkType, r.timestampNs])).toEqual([
      [1, 1, 1000n],
      [2, 101, 2000n],
    ]);
    expect(capture.interfaces).toHaveLength(3);
  });
});

describe('streams', () => {
  const b = new CaptureBuilder('little').section().interface(1, 0);
  for (let i = 0; i < 40; i++) b.enhancedPacket(0, BigInt(i), frame(i, 14 + i * 7));
  const expected = [...readCaptureSync(b.bytes)].map(brief);

  test('chunks may end anywhere', async () => {
    for (const size of [1, 2, 3, 7, 28, 100, 4096, b.bytes.length]) {
      const chunks: Uint8Array[] = [];
      for (let at = 0; at < b.bytes.length; at += size)
        chunks.push(b.bytes.subarray(at, at + size), new Uint8Array(0));
      expect([...readCaptureSync(chunks)].map(brief), `chunks of ${size}`).toEqual(expected);
      const records: CaptureRecord[] = [];
      for await (const record of readCapture(Readable.from(chunks))) records.push(record);
      expect(records.map(brief)).toEqual(expected);
    }
  });

  test('a stream that reuses its buffer does not change packets that were read', async () => {
    const buffer = new Uint8Array(64);
    async function* reusing() {
      for (let at = 0; at < b.bytes.length; at += 64) {
        const chunk = b.bytes.subarray(at, at + 64);
        buffer.set(chunk);
        yield buffer.subarray(0, chunk.length);
      }
    }
    const records: CaptureRecord[] = [];
    for await (const record of readCapture(reusing())) records.push(record);
    expect(records.map(brief)).toEqual(expected);
  });

  test('packets come before the stream has ended', async () => {
    async function* endless() {
      yield b.bytes;
      await new Promise(() => {});
    }
    let seen = 0;
    for await (const _ of readCapture(endless())) if (++seen === 40) break;
    expect(seen).toBe(40);
  });

  test('the packets of a whole file are views of it, without a copy', () => {
    const [first] = readCaptureSync(b.bytes.subarray(0));
    expect(first!.bytes.byteLength).toBe(14);
    const file = b.bytes;
    const [view] = readCaptureSync(file);
    expect(view!.bytes.buffer).toBe(file.buffer);
  });

  test('a file in shared memory can be read', () => {
    const withText = new CaptureBuilder('little');
    withText.section().interface(1, 0, withText.option(2, 'eth0')).enhancedPacket(0, 0n, frame(1));
    const shared = new Uint8Array(new SharedArrayBuffer(withText.bytes.length));
    shared.set(withText.bytes);
    const capture = readCaptureSync(shared);
    expect([...capture]).toHaveLength(1);
    expect(capture.interfaces[0]!.name).toBe('eth0');
  });

  test.each([[5], ['file.pcap'], [null], [{}]])('%j is no source', (source) => {
    const invalid = expect.objectContaining({ code: 'XDP_INVALID_ARGUMENT' });
    expect(() => readCapture(source as unknown as Uint8Array)).toThrow(invalid);
    expect(() => readCaptureSync(source as unknown as Uint8Array)).toThrow(invalid);
  });

  test('a stream of text is refused, and so is an asynchronous source where one must not wait', async () => {
    const text = readCapture(['abc'] as unknown as Uint8Array[]);
    await expect(text[Symbol.asyncIterator]().next()).rejects.toThrow(/a stream must have no encoding/);
    expect(() => readCaptureSync(Readable.from([]) as unknown as Uint8Array[])).toThrow(/use readCapture/);
  });
});
