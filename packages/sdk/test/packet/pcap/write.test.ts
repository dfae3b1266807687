import { describe, expect, test } from 'vitest';
import {
  type CaptureRecord,
  CaptureWriter,
  captureBytes,
  readCaptureSync,
  writeCapture,
} from 'xdptest/packet';
import { frame } from '../../support/capture-builder.ts';

const invalid = expect.objectContaining({ code: 'XDP_INVALID_ARGUMENT' });

describe('CaptureWriter', () => {
  test('pcapng gives back everything that was written', () => {
    const writer = new CaptureWriter({
      interfaces: [{ name: 'lb0', description: 'in front', comments: ['x'], snapLength: 32 }],
      comment: 'one run',
    });
    const out = writer.addInterface({ name: 'out', linkType: 1 });
    writer
      .add(frame(1), {
        timestampNs: 1_700_000_000_123_456_789n,
        verdict: 'XDP_TX',
        comments: ['a', 'bé'],
        flags: 1,
      })
      .add({ bytes: frame(2, 61) }, { interfaceId: out, verdict: 4_294_967_274, originalLength: 9000 })
      .add(frame(3, 14));
    expect(writer.length).toBe(3);
    const capture = readCaptureSync(writer.take());
    expect([...capture]).toEqual([
      {
        index: 0,
        bytes: frame(1).subarray(0, 32),
        originalLength: 60,
        timestampNs: 1_700_000_000_123_456_789n,
        interfaceId: 0,
        linkType: 1,
        comments: ['a', 'bé'],
        flags: 1,
        verdict: { kind: 'xdp', value: 3n },
      },
      {
        index: 1,
        bytes: frame(2, 61),
        originalLength: 9000,
        timestampNs: 0n,
        interfaceId: 1,
        linkType: 1,
        comments: [],
        verdict: { kind: 'xdp', value: 4_294_967_274n },
      },
      {
        index: 2,
        bytes: frame(3, 14),
        originalLength: 14,
        timestampNs: 0n,
        interfaceId: 0,
        linkType: 1,
        comments: [],
      },
    ] satisfies CaptureRecord[]);
    expect(capture.interfaces).toEqual([
      { id: 0, linkType: 1, snapLength: 32, name: 'lb0', description: 'in front', comments: ['x'] },
      { id: 1, linkType: 1, snapLength: 0, name: 'out', comments: [] },
    ]);
  });

  test('pcap keeps bytes, times to the nanosecond and lengths on the wire', () => {
    const bytes = captureBytes(
      [{ bytes: frame(1), timestampNs: 4_294_967_295_999_999_999n, originalLength: 100 }, frame(2)],
      {
        format: 'pcap',
        interfaces: [{ linkType: 1, snapLength: 40 }],
      },
    );
    expect([...readCaptureSync(bytes)].map((r) => [r.bytes.length, r.originalLength, r.timestampNs])).toEqual(
      [
        [40, 100, 4_294_967_295_999_999_999n],
        [40, 60, 0n],
      ],
    );
  });

  test('records that were read are written as they are', () => {
    const first = captureBytes([
      { bytes: frame(1), verdict: 2n, comments: ['kept'], timestampNs: 5n, flags: 2 },
      { bytes: frame(2), originalLength: 80 },
    ]);
    expect(captureBytes(readCaptureSync(first))).toEqual(first);
  });

  test('what was taken, put together, is the file at any time', () => {
    const writer = new CaptureWriter();
    const parts = [
      writer.take(),
      writer.add(frame(1)).take(),
      writer.take(),
      writer.add(frame(2)).add(frame(3)).take(),
    ];
    expect([...readCaptureSync(parts)].map((r) => r.bytes.at(-1))).toEqual([1, 2, 3]);
    expect([...readCaptureSync(parts.slice(0, 2))]).toHaveLength(1);
  });

  test('thousands of packets come in chunks and in bounded memory', () => {
    function* many() {
      for (let i = 0; i < 20_000; i++) yield frame(i & 0xff, 100);
    }
    const chunks = [...writeCapture(many())];
    expect(chunks.length).toBeGreaterThan(8);
    expect(Math.max(...chunks.map((chunk) => chunk.length))).toBeLessThan(300_000);
    let count = 0;
    for (const record of readCaptureSync(chunks)) expect(record.bytes.at(-1)).toBe(count++ & 0xff);
    expect(count).toBe(20_000);
  });

  test.each(['pcap', 'pcapng'] as const)('a %s file in memory grows at every field', (format) => {
    // Lengths that let the buffer's end fall on each field of a packet in turn.
    for (let length = 14; length < 46; length++) {
      const packets = Array.from({ length: 3000 }, (_, i) => frame(i & 0xff, length));
      const file = captureBytes(packets, { format });
      expect([...readCaptureSync(file)].every((r, i) => r.bytes.at(-1) === packets[i]!.at(-1))).toBe(true);
    }
  });

  test('pcap refuses what it would lose', () => {
    const pcap = () => new CaptureWriter({ format: 'pcap' });
    expect(() => pcap().add(frame(1), { verdict: 'XDP_PASS' })).toThrow(/pcap file cannot hold a verdict/);
    expect(() => pcap().add(frame(1), { comments: ['x'] })).toThrow(invalid);
    expect(() => pcap().add(frame(1), { flags: 1 })).toThrow(invalid);
    expect(() => pcap().addInterface({})).toThrow(/second interface/);
    expect(() => new CaptureWriter({ format: 'pcap', comment: 'x' })).toThrow(invalid);
    expect(() => new CaptureWriter({ format: 'pcap', interfaces: [{ name: 'eth0' }] })).toThrow(invalid);
    expect(() => new CaptureWriter({ format: 'pcap', interfaces: [{}, {}] })).toThrow(/one interface, not 2/);
  });

  test.each<[string, (writer: CaptureWriter) => unknown]>([
    ['an unknown interface', (w) => w.add(frame(1), { interfaceId: 1 })],
    ['a time that is a number', (w) => w.add(frame(1), { timestampNs: 5 as unknown as bigint })],
    ['a time before 1970', (w) => w.add(frame(1), { timestampNs: -1n })],
    ['an unknown verdict', (w) => w.add(frame(1), { verdict: 'DROP' as 'XDP_DROP' })],
    ['a negative verdict', (w) => w.add(frame(1), { verdict: -1 })],
    ['a verdict of another kind', (w) => w.add(frame(1), { verdict: { kind: 'tc', value: 1n } })],
    ['a comment too long for the format', (w) => w.add(frame(1), { comments: ['x'.repeat(65_536)] })],
    ['a packet that no reader would take', (w) => w.add(new Uint8Array(17 * 1024 * 1024))],
    ['something that is no packet', (w) => w.add('abc' as unknown as Uint8Array)],
    ['a link type that does not fit', (w) => w.addInterface({ linkType: 65_536 })],
  ])('refuses %s, and the file stays whole', (_, fault) => {
    const writer = new CaptureWriter().add(frame(1));
    expect(() => fault(writer)).toThrow(invalid);
    writer.add(frame(2));
    expect([...readCaptureSync(writer.take())].map((r) => r.bytes.at(-1))).toEqual([1, 2]);
  });

  test('refuses options that mean nothing', () => {
    expect(() => new CaptureWriter({ format: 'gzip' as 'pcap' })).toThrow(invalid);
    expect(() => new CaptureWriter({ formt: 'pcap' } as object)).toThrow(invalid);
    expect(() => new CaptureWriter({ application: 5 as unknown as string })).toThrow(invalid);
  });
});
