import { describe, expect, test } from 'vitest';
import {
  eth,
  type FieldPath,
  fieldReader,
  ipv4,
  locateField,
  type Packet,
  packet,
  payload,
  udp,
  writeChecksum,
} from 'xdptest/packet';
import { hexOf } from './support/hex.ts';

const inner = packet(ipv4({ src: '10.7.0.1' }), udp({ sport: 99 }), payload('hello'));
const tunnel = packet(eth(), ipv4(), udp(), inner);

function rewritten(base: Packet, path: FieldPath, value: unknown): Uint8Array {
  const place = locateField(base, path);
  const shift = 7;
  const bytes = new Uint8Array(base.length + shift);
  bytes.set(base.bytes, shift);
  place.write(bytes, value, shift);
  for (const checksum of place.checksums) writeChecksum(bytes, checksum, shift);
  return bytes.subarray(shift);
}

describe('a field written in place, with the checksums that cover it', () => {
  test.for([
    ['ipv4.src', '10.99.0.1'],
    ['ipv4.ttl', 1],
    ['ipv4.df', true],
    ['ipv4.dscp', 46],
    ['udp.sport', 6],
    ['ipv4[1].src', '10.99.0.1'],
    ['ipv4[1].id', 77],
    ['udp[1].sport', 5],
    ['raw.bytes', 'world'],
    ['eth.src', '02:00:00:00:00:77'],
  ] as const)('%s gives the packet that with() gives', ([path, value]) => {
    const expected = tunnel.with(path as 'ipv4.ttl', value as unknown as number);
    expect(hexOf(rewritten(tunnel as Packet, path, value))).toBe(hexOf(expected.bytes));
  });
});

test('the checksums of the inner layers come first', () => {
  const { checksums, offset, widthBits } = locateField(tunnel, 'ipv4[1].src');
  expect(offset).toBe(54);
  expect(widthBits).toBe(32);
  // inner UDP (pseudo header), inner IPv4, outer UDP
  expect(checksums.map(({ offset }) => offset)).toEqual([68, 52, 40]);
});

test('a checksum that is absent or wrong is left alone', () => {
  const base = packet(eth(), ipv4({ checksum: 1 }), udp({ checksum: 0 }));
  expect(locateField(base, 'ipv4.src').checksums).toEqual([]);
});

test('values have a form in bits', () => {
  const place = locateField(tunnel, 'ipv4.src');
  expect(place.toBits('10.0.0.9')).toBe(0x0a000009);
  const bytes = tunnel.bytes.slice();
  place.writeBits(bytes, 0x0a000009);
  expect(place.read(bytes)).toBe('10.0.0.9');
});

test('a value of another length than the field has is refused', () => {
  const place = locateField(tunnel, 'raw.bytes');
  expect(() => place.write(tunnel.bytes.slice(), 'longer')).toThrow('raw.bytes has 5 bytes here');
});

test('a path that leads nowhere is named', () => {
  expect(() => locateField(tunnel, 'tcp.seq')).toThrow('its layers are eth / ipv4 / udp / ipv4 / udp / raw');
  expect(() => locateField(tunnel, 'ipv4.port' as 'ipv4.src')).toThrow('ipv4 has no field "port"');
});

test('fieldReader() reads one field of many packets', () => {
  const dst = fieldReader('ipv4[1].src');
  expect(dst(tunnel)).toBe('10.7.0.1');
  expect(dst(tunnel.bytes)).toBe('10.7.0.1');
  expect(dst(new Uint8Array(3))).toBeUndefined();
});
