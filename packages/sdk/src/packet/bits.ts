/** Whole numbers at any bit offset and width in bytes, most significant bit first as on the wire. */

/** Reads `width` (at most 48) bits that start at bit `bit`. */
export function readBits(bytes: Uint8Array, bit: number, width: number): number {
  const last = (bit + width - 1) >> 3;
  let value = 0;
  for (let i = bit >> 3; i <= last; i++) value = value * 256 + bytes[i]!;
  const below = last * 8 + 8 - (bit + width);
  if (below > 0) value = Math.floor(value / 2 ** below);
  return value % 2 ** width;
}

/** Writes the low `width` (at most 48) bits of `value` at bit `bit`, and leaves the bits around them alone. */
export function writeBits(bytes: Uint8Array, bit: number, width: number, value: number): void {
  // Most fields are one or two whole bytes.
  if ((bit & 7) === 0 && (width === 8 || width === 16)) {
    const at = bit >> 3;
    if (width === 16) bytes[at] = value >> 8;
    bytes[at + (width >> 3) - 1] = value & 0xff;
    return;
  }
  let end = bit + width;
  let rest = value;
  for (let left = width; left > 0; ) {
    const index = (end - 1) >> 3;
    const room = end - index * 8;
    const take = Math.min(left, room);
    const size = 2 ** take;
    const shift = 8 - room;
    const mask = (size - 1) << shift;
    bytes[index] = (bytes[index]! & ~mask) | ((rest % size) << shift);
    rest = Math.floor(rest / size);
    end -= take;
    left -= take;
  }
}

/** Reads `width` bits, a multiple of 8, that start at byte `offset`. */
export function readBig(bytes: Uint8Array, offset: number, width: number): bigint {
  let value = 0n;
  for (let i = offset; i < offset + width / 8; i++) value = (value << 8n) | BigInt(bytes[i]!);
  return value;
}

/** Writes the low `width` bits, a multiple of 8, of `value` at byte `offset`. */
export function writeBig(bytes: Uint8Array, offset: number, width: number, value: bigint): void {
  let rest = value;
  for (let i = offset + width / 8 - 1; i >= offset; i--) {
    bytes[i] = Number(rest & 255n);
    rest >>= 8n;
  }
}
