import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { batchFromCapture, batchFromCaptureSync, captureBytes } from 'xdptest/packet';
import { CaptureBuilder, frame } from '../../support/capture-builder.ts';

describe('batchFromCapture', () => {
  const packets = [frame(1), frame(2, 14), frame(3, 1500)];

  test('takes all packets in order, from bytes and from a stream', async () => {
    for (const format of ['pcap', 'pcapng'] as const) {
      const file = captureBytes(packets, { format });
      expect([...batchFromCaptureSync(file)]).toEqual(packets);
      expect([...(await batchFromCapture(Readable.from([file.subarray(0, 50), file.subarray(50)])))]).toEqual(
        packets,
      );
    }
  });

  test('a packet that was cut is not taken for the whole one', () => {
    const file = captureBytes([frame(1), frame(2, 200), frame(3)], { interfaces: [{ snapLength: 96 }] });
    expect(() => batchFromCaptureSync(file)).toThrow(
      expect.objectContaining({
        code: 'XDP_FILE_INVALID',
        message: expect.stringMatching(/packet 1 was cut to 96 of 200 bytes .* option truncated/),
      }),
    );
    expect([...batchFromCaptureSync(file, { truncated: 'skip' })].map((p) => p.length)).toEqual([60, 60]);
    expect([...batchFromCaptureSync(file, { truncated: 'keep' })].map((p) => p.length)).toEqual([60, 96, 60]);
  });

  test('only Ethernet becomes packets, unless another link type is asked for', () => {
    const file = new CaptureBuilder('little')
      .section()
      .interface(1, 0)
      .interface(113, 0)
      .enhancedPacket(0, 0n, frame(1))
      .enhancedPacket(1, 0n, frame(2)).bytes;
    expect(() => batchFromCaptureSync(file)).toThrow(
      expect.objectContaining({
        code: 'XDP_FILE_INVALID',
        message: expect.stringMatching(/packet 1 has link type 113/),
      }),
    );
    expect(batchFromCaptureSync(file, { linkTypes: [1, 113] })).toHaveLength(2);
    expect(batchFromCaptureSync(file, { linkTypes: 'any' })).toHaveLength(2);
    expect([...batchFromCaptureSync(file, { filter: (r) => r.linkType === 1 })]).toEqual([frame(1)]);
  });

  test.each([{ linkTypes: 1 }, { linkTypes: ['1'] }, { truncated: 'no' }, { filter: 1 }, { snap: 1 }])(
    'refuses %j',
    (options) => {
      expect(() => batchFromCaptureSync(captureBytes([]), options as object)).toThrow(
        expect.objectContaining({ code: 'XDP_INVALID_ARGUMENT' }),
      );
    },
  );
});
