/** Bytes that an attacker, or a broken cable, might send. */
import fc from 'fast-check';
import { expectInteger, expectOptions } from '../errors.ts';
import { type PacketOptions, validPacket } from './valid-packet.ts';

/** Options of {@link hostilePacket}. */
export interface HostileOptions extends PacketOptions {
  /** Default 14, what the kernel accepts. */
  readonly minBytes?: number;
  /** Default 256. */
  readonly maxBytes?: number;
}

/** Ethertypes and first bytes that make a program look further. */
const ethertypes = [0x0800, 0x86dd, 0x8100, 0x88a8, 0x0806, 0x8847, 0x0000, 0xffff];
/** Numbers at which lengths go wrong. */
const edges = [0, 1, 4, 5, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xfffe, 0xffff];

/**
 * Hostile bytes: random ones, random ones after an Ethernet header, valid packets with bits flipped, with words replaced by
 * numbers at which lengths go wrong, and with garbage in place of their end. They shrink to few bytes and few changes.
 */
export function hostilePacket(options?: HostileOptions): fc.Arbitrary<Uint8Array> {
  const {
    minBytes = 14,
    maxBytes = 256,
    ...packetOptions
  } = expectOptions<HostileOptions>('hostilePacket', options, [
    'minBytes',
    'maxBytes',
    'maxDepth',
    'maxPayloadBytes',
    'layers',
  ]);
  expectInteger('hostilePacket: minBytes', minBytes, 0, 65_535);
  expectInteger('hostilePacket: maxBytes', maxBytes, minBytes, 65_535);
  const valid = validPacket(packetOptions).map(({ bytes }) => bytes);
  const random = fc.uint8Array({ minLength: minBytes, maxLength: maxBytes });
  return fc
    .oneof(
      random,
      fc.tuple(random, fc.constantFrom(...ethertypes), fc.integer({ min: 0, max: 255 })).map(afterEthernet),
      fc.tuple(valid, changes(fc.integer({ min: 0, max: 7 }))).map(flipped),
      fc.tuple(valid, changes(fc.constantFrom(...edges))).map(lied),
      fc.tuple(valid, fc.nat(maxBytes), fc.uint8Array({ maxLength: 32 })).map(withGarbage),
    )
    .map((bytes) => fitted(bytes, minBytes, maxBytes));
}

/**
 * A few changes: where, and to what. Places count from the start, so that they stay when the packet shrinks; half of them
 * are within the smallest packet, and beyond the end nothing is changed.
 */
function changes(value: fc.Arbitrary<number>): fc.Arbitrary<{ at: number; value: number }[]> {
  const at = fc.oneof(fc.nat(41), fc.nat(255));
  return fc.array(fc.record({ at, value }), { minLength: 1, maxLength: 12 });
}

function afterEthernet([bytes, ethertype, first]: [Uint8Array, number, number]): Uint8Array {
  const result = bytes.slice();
  // Beyond the end nothing is written: a typed array ignores it.
  result[12] = ethertype >> 8;
  result[13] = ethertype;
  result[14] = first;
  return result;
}

function flipped([bytes, flips]: [Uint8Array, { at: number; value: number }[]]): Uint8Array {
  const result = bytes.slice();
  for (const { at, value } of flips) if (at < result.length) result[at]! ^= 1 << value;
  return result;
}

function lied([bytes, lies]: [Uint8Array, { at: number; value: number }[]]): Uint8Array {
  const result = bytes.slice();
  for (const { at, value } of lies) {
    // From the Ethertype on: addresses lie to nobody.
    const place = Math.max(12, at);
    result[place] = value >> 8;
    result[place + 1] = value;
  }
  return result;
}

function withGarbage([bytes, length, garbage]: [Uint8Array, number, Uint8Array]): Uint8Array {
  const kept = bytes.subarray(0, length);
  const result = new Uint8Array(kept.length + garbage.length);
  result.set(kept);
  result.set(garbage, kept.length);
  return result;
}

function fitted(bytes: Uint8Array, minBytes: number, maxBytes: number): Uint8Array {
  if (bytes.length > maxBytes) return bytes.slice(0, maxBytes);
  if (bytes.length >= minBytes) return bytes;
  const result = new Uint8Array(minBytes);
  result.set(bytes);
  return result;
}
