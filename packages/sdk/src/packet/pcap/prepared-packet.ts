/** A packet that was checked and is ready to write. */
export interface PreparedPacket {
  readonly bytes: Uint8Array;
  readonly originalLength: number;
  readonly timestampNs: bigint;
  readonly interfaceId: number;
  readonly comments: readonly Uint8Array[];
  readonly flags: number | undefined;
  readonly verdict: bigint | undefined;
}
