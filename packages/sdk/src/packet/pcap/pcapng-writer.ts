/** The blocks of a pcapng file: one section, little-endian, every interface with nanoseconds. */
import type { ByteSink } from './byte-sink.ts';
import {
  OPTION_COMMENT,
  OPTION_INTERFACE_DESCRIPTION,
  OPTION_INTERFACE_NAME,
  OPTION_PACKET_FLAGS,
  OPTION_PACKET_VERDICT,
  OPTION_TIMESTAMP_RESOLUTION,
} from './pcapng-options.ts';
import { VERDICT_XDP } from './pcapng-packet-options.ts';
import type { PreparedPacket } from './prepared-packet.ts';

const OPTION_APPLICATION = 4;
const OPTION_END = 0;

export function writeSection(sink: ByteSink, application: Uint8Array, comments: readonly Uint8Array[]): void {
  writeBlock(sink, 0x0a0d0d0a, () => {
    sink.u32(0x1a2b3c4d);
    sink.u16(1);
    sink.u16(0);
    // The length of the section, unknown while it is streamed.
    sink.u64(0xffff_ffff_ffff_ffffn);
    writeTexts(sink, OPTION_COMMENT, comments);
    writeTexts(sink, OPTION_APPLICATION, [application]);
    endOptions(sink);
  });
}

export function writeInterface(
  sink: ByteSink,
  linkType: number,
  snapLength: number,
  texts: {
    readonly name: readonly Uint8Array[];
    readonly description: readonly Uint8Array[];
    readonly comments: readonly Uint8Array[];
  },
): void {
  writeBlock(sink, 1, () => {
    sink.u16(linkType);
    sink.u16(0);
    sink.u32(snapLength);
    writeTexts(sink, OPTION_COMMENT, texts.comments);
    writeTexts(sink, OPTION_INTERFACE_NAME, texts.name);
    writeTexts(sink, OPTION_INTERFACE_DESCRIPTION, texts.description);
    writeOption(sink, OPTION_TIMESTAMP_RESOLUTION, 1, () => sink.u8(9));
    endOptions(sink);
  });
}

export function writePcapngPacket(sink: ByteSink, packet: PreparedPacket): void {
  writeBlock(sink, 6, () => {
    sink.u32(packet.interfaceId);
    sink.u32(Number(packet.timestampNs >> 32n));
    sink.u32(Number(packet.timestampNs & 0xffff_ffffn));
    sink.u32(packet.bytes.length);
    sink.u32(packet.originalLength);
    sink.append(packet.bytes);
    sink.pad(packet.bytes.length);
    const { comments, flags, verdict } = packet;
    if (comments.length === 0 && flags === undefined && verdict === undefined) return;
    writeTexts(sink, OPTION_COMMENT, comments);
    if (flags !== undefined) writeOption(sink, OPTION_PACKET_FLAGS, 4, () => sink.u32(flags));
    if (verdict !== undefined) {
      writeOption(sink, OPTION_PACKET_VERDICT, 9, () => {
        sink.u8(VERDICT_XDP);
        sink.u64(verdict);
      });
    }
    endOptions(sink);
  });
}

/** Type, length, body, and the length again. */
function writeBlock(sink: ByteSink, type: number, body: () => void): void {
  const start = sink.length;
  sink.u32(type);
  sink.u32(0);
  body();
  const total = sink.length - start + 4;
  sink.u32(total);
  sink.patchU32(start + 4, total);
}

function writeTexts(sink: ByteSink, code: number, texts: readonly Uint8Array[]): void {
  for (const text of texts) writeOption(sink, code, text.length, () => sink.append(text));
}

function writeOption(sink: ByteSink, code: number, length: number, value: () => void): void {
  sink.u16(code);
  sink.u16(length);
  value();
  sink.pad(length);
}

function endOptions(sink: ByteSink): void {
  sink.u16(OPTION_END);
  sink.u16(0);
}
