/** Packets as values: the door of this room, published as `xdptest/packet`. Pure: works on any system. */

export {
  MAX_BATCH_BYTES,
  PacketBatch,
  PacketBatchBuilder,
  type PacketLike,
  packetBytes,
} from './packet-batch.ts';
export * from './pcap/index.ts';
