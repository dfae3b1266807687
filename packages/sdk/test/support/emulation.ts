/** In a machine of `xdptest vm` computing is some 25 times slower: what is no truer on another kernel is tried less often there. */

export const isGuest = ![undefined, 'host'].includes(process.env.XDPTEST_KERNEL);

/** How often to try something: so often here, and less often in a guest. */
export function rounds(here: number, inGuest: number): number {
  return isGuest ? inGuest : here;
}
