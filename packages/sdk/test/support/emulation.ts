/** In a machine of `xdptest vm` computing is some 25 times slower: what is no truer on another kernel is tried less often there. */

export const isGuest = ![undefined, 'host'].includes(process.env.XDPTEST_KERNEL);

/** A limit for something that takes as long as it takes: in a guest it is ten times as long. */
export function patience(milliseconds: number): number {
  return isGuest ? 10 * milliseconds : milliseconds;
}

/** How often to try something: so often here, and less often in a guest. */
export function rounds(here: number, inGuest: number): number {
  return isGuest ? inGuest : here;
}

/** What a vitest that is started by a test has to be told. */
export const vitestLimits = isGuest ? ['--testTimeout=300000', '--hookTimeout=300000'] : [];
