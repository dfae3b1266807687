/** The Internet checksum (RFC 1071), its incremental update (RFC 1624), and CRC32c (RFC 9260, appendix A). */

/**
 * Adds the 16-bit big-endian words of `bytes[from..to)` to a running sum. An odd last byte counts as the high half
 * of a word, as RFC 1071 says, so ranges that are summed in pieces must be split at even distances.
 * The sum is not folded: it stays exact up to 2^37 bytes.
 */
export function addWords(sum: number, bytes: Uint8Array, from: number, to: number): number {
  let total = sum;
  const even = to - ((to - from) & 1);
  for (let i = from; i < even; i += 2) total += bytes[i]! * 256 + bytes[i + 1]!;
  if (even < to) total += bytes[even]! * 256;
  return total;
}

/** Folds a sum of 16-bit words to one word, with the carries added back in. */
export function foldSum(sum: number): number {
  let folded = sum;
  while (folded > 0xffff) folded = (folded % 0x10000) + Math.floor(folded / 0x10000);
  return folded;
}

/** The Internet checksum of a range: the complement of the folded sum. 0 over a range that holds a right checksum. */
export function internetChecksum(bytes: Uint8Array, from = 0, to = bytes.length, sum = 0): number {
  return 0xffff - foldSum(addWords(sum, bytes, from, to));
}

/**
 * The checksum after one 16-bit word of the covered data changed from `before` to `after`: equation 3 of RFC 1624,
 * HC' = ~(~HC + ~m + m'), which unlike RFC 1141's also gets -0 right.
 */
export function updateChecksum16(checksum: number, before: number, after: number): number {
  return 0xffff - foldSum(0xffff - checksum + (0xffff - before) + after);
}

/** The same for 32 bits that stand at an even distance from the start of the covered data, such as an address. */
export function updateChecksum32(checksum: number, before: number, after: number): number {
  return updateChecksum16(
    updateChecksum16(checksum, before >>> 16, after >>> 16),
    before & 0xffff,
    after & 0xffff,
  );
}

const CRC32C_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let crc = index;
  // 0x82f63b78 is the Castagnoli polynomial 0x1edc6f41 with its bits reflected.
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  return crc;
});

/** Runs a CRC32c register over a range; start with `0xffffffff` and complement the end. */
export function crc32cAdd(register: number, bytes: Uint8Array, from: number, to: number): number {
  let crc = register;
  for (let i = from; i < to; i++) crc = (crc >>> 8) ^ CRC32C_TABLE[(crc ^ bytes[i]!) & 0xff]!;
  return crc;
}

/** The CRC32c of a range: `crc32c` of the ASCII digits 1 to 9 is 0xe3069283. */
export function crc32c(bytes: Uint8Array, from = 0, to = bytes.length): number {
  return ~crc32cAdd(0xffffffff, bytes, from, to) >>> 0;
}
