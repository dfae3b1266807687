/** What native/bpf/driver.h says, for TypeScript; test/batch/limits.test.ts holds the two equal. */

export const DRIVER = {
  /** Packets of one call. */
  packets: 1024,
  /** Bytes of one call's packets. */
  inputBytes: 1 << 19,
  /** Bytes of one call's outputs. */
  outputBytes: 1 << 20,
  maxPacketBytes: 3520,
  flags: { time: 2, staleHead: 4, redirects: 8 },
} as const;

/** An Ethernet header: the driver cannot make a packet shorter (bpf_xdp_adjust_tail), a test run on 5.10 can. */
export const MIN_DRIVER_PACKET_BYTES = 14;

/** Whether the driver can take a packet of that length; others run by single calls. */
export function fitsDriver(bytes: number): boolean {
  return bytes >= MIN_DRIVER_PACKET_BYTES && bytes <= DRIVER.maxPacketBytes;
}
