/** The classic format, little-endian with nanoseconds (magic 0xa1b23c4d). */
import type { ByteSink } from './byte-sink.ts';
import type { PreparedPacket } from './prepared-packet.ts';

const NS_PER_SECOND = 1_000_000_000n;

export function writePcapHeader(sink: ByteSink, linkType: number, snapLength: number): void {
  sink.u32(0xa1b23c4d);
  sink.u16(2);
  sink.u16(4);
  sink.u32(0);
  sink.u32(0);
  sink.u32(snapLength);
  sink.u32(linkType);
}

export function writePcapPacket(sink: ByteSink, packet: PreparedPacket): void {
  sink.u32(Number(packet.timestampNs / NS_PER_SECOND));
  sink.u32(Number(packet.timestampNs % NS_PER_SECOND));
  sink.u32(packet.bytes.length);
  sink.u32(packet.originalLength);
  sink.append(packet.bytes);
}
