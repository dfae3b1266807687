import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { crc32c, internetChecksum, updateChecksum16, updateChecksum32 } from 'xdptest/packet';
import { bytesOf } from './support/hex.ts';

describe('the Internet checksum', () => {
  test('of the example in RFC 1071, section 3, is the complement of ddf2', () => {
    expect(internetChecksum(bytesOf('0001 f203 f4f5 f6f7'))).toBe(0xffff - 0xddf2);
  });

  test('pads an odd byte with zero', () => {
    expect(internetChecksum(bytesOf('01 02 03'))).toBe(internetChecksum(bytesOf('01 02 03 00')));
  });

  test('over data that holds a right checksum is zero', () => {
    expect(internetChecksum(bytesOf('4500 0073 0000 4000 4011 b861 c0a8 0001 c0a8 00c7'))).toBe(0);
  });

  test('of nothing is ffff', () => {
    expect(internetChecksum(new Uint8Array(0))).toBe(0xffff);
  });
});

describe('the incremental update', () => {
  test('of the example in RFC 1624, section 4, gives 0000 and not ffff', () => {
    expect(updateChecksum16(0xdd2f, 0x5555, 0x3285)).toBe(0x0000);
  });

  test('gives what computing anew gives', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 8, maxLength: 40 }),
        fc.nat({ max: 0xffffffff }),
        fc.nat({ max: 3 }),
        (data, value, at) => {
          // All zeros is the one sum with two representations: no real header is.
          fc.pre(data.some((byte, i) => byte !== 0 && (i < at * 2 || i >= at * 2 + 4)));
          const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
          const offset = Math.min(at * 2, data.length - 4 - (data.length % 2));
          const before = internetChecksum(data);
          const old = view.getUint32(offset);
          view.setUint32(offset, value);
          const fresh = internetChecksum(data);
          // 0000 and ffff are the same number in ones' complement.
          expect(updateChecksum32(before, old, value) % 0xffff).toBe(fresh % 0xffff);
        },
      ),
    );
  });
});

describe('CRC32c', () => {
  // RFC 3720, appendix B.4.
  test.for([
    ['zeros', new Uint8Array(32), 0x8a9136aa],
    ['ones', new Uint8Array(32).fill(0xff), 0x62a8ab43],
    ['rising bytes', Uint8Array.from({ length: 32 }, (_, i) => i), 0x46dd794e],
    ['falling bytes', Uint8Array.from({ length: 32 }, (_, i) => 31 - i), 0x113fdb5c],
    ['the digits 1 to 9', new TextEncoder().encode('123456789'), 0xe3069283],
  ] as const)('of %s', ([, bytes, crc]) => {
    expect(crc32c(bytes)).toBe(crc);
  });
});
