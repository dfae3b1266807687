import { describe, expect, test } from 'vitest';
import { XdpError } from 'xdptest';
import { captureBytes, readCaptureSync } from 'xdptest/packet';
import { CaptureBuilder, frame } from '../../support/capture-builder.ts';
import { rounds } from '../../support/emulation.ts';

/** Reads until the damage: how many packets came, and the error. */
function read(bytes: Uint8Array): { packets: number; error: XdpError | undefined } {
  let packets = 0;
  try {
    for (const _ of readCaptureSync(bytes)) packets++;
  } catch (error) {
    if (!(error instanceof XdpError)) throw error;
    return { packets, error };
  }
  return { packets, error: undefined };
}

function expectDamage(bytes: Uint8Array, packets: number, offset: number, problem: RegExp): void {
  const result = read(bytes);
  expect(result.packets).toBe(packets);
  expect(result.error).toMatchObject({ code: 'XDP_FILE_INVALID', completed: packets });
  expect(result.error!.message).toMatch(new RegExp(`byte ${offset}: `));
  expect(result.error!.message).toMatch(new RegExp(`\\(${packets} packets? (was|were) read before\\)`));
  expect(result.error!.message).toMatch(problem);
}

const ng = () => new CaptureBuilder('little').section().interface(1, 0).enhancedPacket(0, 0n, frame(1));
const start = ng().bytes.length;

describe('damaged files give what was read so far, and the place', () => {
  test('a file that is none', () => {
    expectDamage(new Uint8Array(0), 0, 0, /the file is empty/);
    expectDamage(Uint8Array.of(1, 2), 0, 0, /the file ends within a block: 2 bytes are there, 4 are needed/);
    expectDamage(Buffer.from('GIF89a....'), 0, 0, /neither pcap nor pcapng: it starts with 47 49 46 38/);
    expectDamage(Uint8Array.of(0x1f, 0x8b, 8, 0), 0, 0, /gzip/);
  });

  test('pcap: cut off, an impossible length, another version', () => {
    const whole = new CaptureBuilder('big')
      .pcapHeader(0xa1b2c3d4)
      .pcapPacket(0, 0, frame(1))
      .pcapPacket(0, 0, frame(2)).bytes;
    expectDamage(whole.subarray(0, 20), 0, 0, /20 bytes are there, 24 are needed/);
    expectDamage(whole.subarray(0, -1), 1, 24 + 76, /75 bytes are there, 76 are needed/);
    const long = whole.slice();
    long[24 + 76 + 8] = 0x7f;
    expectDamage(long, 1, 24 + 76 + 8, /a packet of 2130706492 bytes, more than the 262144/);
    const version = whole.slice();
    version[5] = 9;
    expectDamage(version, 0, 4, /version 9\.4/);
  });

  test('pcapng: cut off, lengths that lie', () => {
    const second = ng().enhancedPacket(0, 0n, frame(2)).bytes;
    expectDamage(
      second.subarray(0, -3),
      1,
      start,
      /the file ends within a block: 89 bytes are there, 92 are needed/,
    );
    for (const [length, problem] of [
      [13, /a block of 13 bytes, expected a multiple of 4/],
      [8, /a block of 8 bytes/],
      [0xffff_fffc, /a block of 4294967292 bytes/],
    ] as const) {
      const wrong = second.slice();
      new DataView(wrong.buffer).setUint32(start + 4, length, true);
      expectDamage(wrong, 1, start + 4, problem);
    }
    const trailer = second.slice();
    trailer[trailer.length - 4]! ^= 4;
    expectDamage(trailer, 1, trailer.length - 4, /two lengths differ: 92 and 88/);
    const captured = second.slice();
    new DataView(captured.buffer).setUint32(start + 20, 1000, true);
    expectDamage(captured, 1, start, /a packet of 1000 bytes in a block with room for 60/);
  });

  test('pcapng: blocks too short for their type', () => {
    const b = ng();
    expectDamage(
      ng().block(6, b.u32(0)).bytes,
      1,
      start + 4,
      /a block of type 6 has 16 bytes, expected at least 32/,
    );
    expectDamage(ng().block(1).bytes, 1, start + 4, /type 1 has 12 bytes, expected at least 20/);
    expectDamage(ng().block(2).bytes, 1, start + 4, /type 2 has 12 bytes, expected at least 32/);
    expectDamage(ng().block(3).bytes, 1, start + 4, /type 3 has 12 bytes, expected at least 16/);
    expectDamage(
      ng().block(0x0a0d0d0a, b.u32(0x1a2b3c4d)).bytes,
      1,
      start + 4,
      /has 16 bytes, expected at least 28/,
    );
  });

  test('pcapng: an interface that was never described', () => {
    expectDamage(
      ng().enhancedPacket(1, 0n, frame(2)).bytes,
      1,
      start + 8,
      /interface 1, but its section has described 1/,
    );
    expectDamage(
      ng().section().enhancedPacket(0, 0n, frame(2)).bytes,
      1,
      start + 28 + 8,
      /its section has described 0/,
    );
    const b = ng().section();
    expectDamage(b.block(3, b.u32(60), frame(2)).bytes, 1, start + 28 + 8, /has described 0/);
  });

  test('pcapng: no byte order, a version of the future', () => {
    const b = ng();
    expectDamage(ng().block(0x0a0d0d0a, new Uint8Array(16)).bytes, 1, start + 8, /byte-order magic/);
    const future = ng().block(0x0a0d0d0a, b.u32(0x1a2b3c4d), b.u16(2), b.u16(0), b.u64(-1n));
    expectDamage(future.bytes, 1, start + 12, /version 2\.0/);
  });

  test('pcapng: options that do not fit', () => {
    const b = ng();
    const overlong = Buffer.concat([b.u16(1), b.u16(200), b.u32(0)]);
    expectDamage(
      ng().enhancedPacket(0, 0n, frame(2), 60, overlong).bytes,
      1,
      start + 88,
      /option 1 claims 200 bytes where its block has 4 left/,
    );
    expectDamage(
      ng().enhancedPacket(0, 0n, frame(2), 60, b.option(2, 'ab')).bytes,
      1,
      start + 88,
      /option 2 has 2 bytes, expected 4/,
    );
    expectDamage(
      ng().enhancedPacket(0, 0n, frame(2), 60, b.option(7, Buffer.of(2, 1))).bytes,
      1,
      start + 88,
      /option 7 has 2 bytes, expected 9/,
    );
    expectDamage(
      ng().enhancedPacket(0, 0n, frame(2), 60, b.option(7, '')).bytes,
      1,
      start + 88,
      /a verdict without a type/,
    );
    expectDamage(
      ng().interface(1, 0, b.option(9, 'ab')).bytes,
      1,
      start + 16,
      /option 9 has 2 bytes, expected 1/,
    );
    expectDamage(
      ng().interface(1, 0, b.option(14, 'ab')).bytes,
      1,
      start + 16,
      /option 14 has 2 bytes, expected 8/,
    );
  });
});

test('flipped bits never hang, read past the end or throw anything else', () => {
  let state = 7;
  const random = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const packets = Array.from({ length: 6 }, (_, i) => ({
    bytes: frame(i, 14 + i),
    ...(i % 2 ? { verdict: 'XDP_TX' as const, comments: ['note'] } : {}),
  }));
  const files = [
    captureBytes(packets),
    captureBytes(
      packets.map(({ bytes }) => bytes),
      { format: 'pcap' },
    ),
    new CaptureBuilder('big').section().interface(1, 0).enhancedPacket(0, 0n, frame(1)).bytes,
  ];
  let damaged = 0;
  const times = rounds(30_000, 1000);
  for (let round = 0; round < times; round++) {
    const original = files[round % files.length]!;
    // The file stands in a larger buffer full of a mark that no packet may ever contain.
    const surround = new Uint8Array(original.length + 128).fill(0xee);
    const file = surround.subarray(64, 64 + original.length);
    file.set(original);
    const end = random(4) === 0 ? random(file.length) : file.length;
    for (let flips = 1 + random(4); flips > 0; flips--) file[random(file.length)]! ^= 1 << random(8);
    let packets = 0;
    try {
      for (const record of readCaptureSync(file.subarray(0, end))) {
        packets++;
        expect(
          record.bytes.byteOffset >= 64 && record.bytes.byteOffset + record.bytes.length <= 64 + end,
        ).toBe(true);
      }
    } catch (error) {
      damaged++;
      if (!(error instanceof XdpError && error.code === 'XDP_FILE_INVALID' && error.completed === packets))
        throw error;
    }
    expect(packets).toBeLessThanOrEqual(original.length / 16);
  }
  expect(damaged).toBeGreaterThan(times / 4);
});
