/** Random numbers that a failing test can repeat: print the seed, give it again. */

/** A generator of uniform 32-bit numbers (xorshift32 over a Weyl sequence); equal seeds give equal sequences. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0 || 1;
  let weyl = 0;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    weyl = (weyl + 0x9e3779b9) >>> 0;
    return (state + weyl) >>> 0;
  };
}

/** Random packets of random sizes in no order, many of them of the sizes at which something changes. */
export function randomPackets(seed: number, count: number, minBytes = 14, maxBytes = 3520): Uint8Array[] {
  const next = randomNumbers(seed);
  const edges = [14, 15, 17, 21, 22, 60, 63, 64, 65, 128, 511, 512, 513, 1500, 3519, 3520].filter(
    (size) => size >= minBytes && size <= maxBytes,
  );
  return Array.from({ length: count }, () => {
    const kind = next() % 8;
    const size =
      kind < 2 && edges.length > 0
        ? edges[next() % edges.length]!
        : kind < 6
          ? minBytes + (next() % Math.min(200, maxBytes - minBytes))
          : minBytes + (next() % (maxBytes - minBytes + 1));
    const bytes = new Uint8Array(size);
    const words = new DataView(bytes.buffer);
    let at = 0;
    for (; at + 4 <= size; at += 4) words.setUint32(at, next());
    for (; at < size; at++) bytes[at] = next();
    return bytes;
  });
}
