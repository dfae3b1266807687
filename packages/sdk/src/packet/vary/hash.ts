/**
 * Numbers that look random and depend on (key, index) alone, so that any packet can be made without those before it.
 */

/** The finaliser of MurmurHash3 (A. Appleby, public domain): every input bit changes every output bit. */
function mix(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** The golden ratio in 32 bits: spreads indices that follow one another. */
const GOLDEN = 0x9e3779b1;

/** A key for one use of a seed. The name is that of the field: its values stay when other fields come or go. */
export function keyOf(seed: number, name: string): number {
  // Both halves of a seed above 32 bits count.
  let key = mix((seed >>> 0) ^ GOLDEN);
  key = mix(key + Math.floor(seed / 2 ** 32));
  for (let i = 0; i < name.length; i++) key = mix(Math.imul(key, GOLDEN) + name.charCodeAt(i));
  return key >>> 0;
}

/**
 * 32 random bits. Two keyed rounds are added up: one alone would be a permutation of the indices, and a random number
 * does come twice.
 */
export function randomBits(key: number, index: number): number {
  return (mix(Math.imul(index, GOLDEN) + key) + mix(index ^ Math.imul(key, 0x27d4eb2f))) >>> 0;
}

/** A random number from 0 up to, not including, `size`, from 53 random bits. */
export function randomBelow(key: number, index: number, size: number): number {
  const high = randomBits(key, index) >>> 5;
  const low = randomBits(key ^ GOLDEN, index) >>> 6;
  return Math.floor(((high * 2 ** 26 + low) / 2 ** 53) * size);
}

/** How many bits each half of {@link permute}'s network has. */
export function halfBits(size: number): number {
  return Math.max(1, Math.ceil(Math.log2(size) / 2));
}

/**
 * A permutation of 0 .. size-1 (at most 2^32): a Feistel network over the next power of four, walked until the result
 * is within (Black and Rogaway, "Ciphers with Arbitrary Finite Domains", 2002).
 */
export function permute(key: number, position: number, size: number, half: number): number {
  const mask = 2 ** half - 1;
  let at = position;
  do {
    let left = Math.floor(at / (mask + 1));
    let right = at & mask;
    for (let round = 0; round < 4; round++) {
      const next = left ^ (mix(right + Math.imul(round + 1, GOLDEN) + key) & mask);
      left = right;
      right = next;
    }
    at = left * (mask + 1) + right;
  } while (at >= size);
  return at;
}
