/** Writing captures that Wireshark reads, in chunks. Both formats little-endian, with nanoseconds. */
import { describeValue, expectInteger, expectOptions, invalidArgument } from '../../errors.ts';
import { type PacketLike, packetBytes } from '../packet-batch.ts';
import { ByteSink } from './byte-sink.ts';
import { writePcapHeader, writePcapPacket } from './pcap-writer.ts';
import { writeInterface, writePcapngPacket, writeSection } from './pcapng-writer.ts';
import type { PreparedPacket } from './prepared-packet.ts';
import { type CaptureFormat, LINKTYPE_ETHERNET, MAX_BLOCK_BYTES, MAX_PACKET_BYTES } from './record.ts';
import { type VerdictInput, verdictValue } from './verdict.ts';

/** An interface to write. */
export interface InterfaceInfo {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly comments?: readonly string[] | undefined;
  /** Default 1, Ethernet. */
  readonly linkType?: number | undefined;
  /** Packets are cut to so many bytes; default 0: not cut. */
  readonly snapLength?: number | undefined;
}

/** Options of {@link CaptureWriter}. */
export interface CaptureWriterOptions {
  /** Default `pcapng`. `pcap` has one interface, and neither comments nor verdicts. */
  readonly format?: CaptureFormat;
  /** Default one of Ethernet without a name. */
  readonly interfaces?: readonly InterfaceInfo[];
  /** The program that made the file; default `xdptest`. */
  readonly application?: string;
  /** A comment on the whole file. */
  readonly comment?: string;
}

/** What is known of a packet beside its bytes. A record that was read fits. */
export interface PacketInfo {
  /** Nanoseconds since 1970; default 0. */
  readonly timestampNs?: bigint | undefined;
  /** Default 0. */
  readonly interfaceId?: number | undefined;
  /** Its length on the wire, if that was more than there is here. */
  readonly originalLength?: number | undefined;
  readonly comments?: readonly string[] | undefined;
  /** pcapng's `epb_flags`, such as 1 for received and 2 for sent. */
  readonly flags?: number | undefined;
  /** What the XDP program returned. */
  readonly verdict?: VerdictInput | { readonly kind: string; readonly value?: bigint } | undefined;
}

/** The length of an option is 16-bit. */
const MAX_TEXT_BYTES = 65_535;
const encoder = new TextEncoder();

/** Encodes packets into chunks of a capture file. */
export class CaptureWriter {
  readonly format: CaptureFormat;
  readonly #sink = new ByteSink();
  readonly #snapLengths: number[] = [];
  #packets = 0;

  constructor(options?: CaptureWriterOptions) {
    const {
      format = 'pcapng',
      interfaces = [{}],
      application = 'xdptest',
      comment,
    } = expectOptions('CaptureWriter', options, ['format', 'interfaces', 'application', 'comment']);
    if (format !== 'pcap' && format !== 'pcapng') {
      throw invalidArgument(`CaptureWriter: format must be 'pcap' or 'pcapng', got ${describeValue(format)}`);
    }
    if (!Array.isArray(interfaces)) {
      throw invalidArgument(`CaptureWriter: interfaces must be an array, got ${describeValue(interfaces)}`);
    }
    this.format = format;
    if (format === 'pcapng') {
      writeSection(this.#sink, encodeText('application', application), encodeTexts('comment', comment));
    } else if (interfaces.length !== 1) {
      throw invalidArgument(
        `CaptureWriter: a pcap file has one interface, not ${interfaces.length}: use pcapng`,
      );
    } else if (comment !== undefined) {
      throw notInPcap('a comment');
    }
    for (const one of interfaces) this.#describe(one);
  }

  /** How many packets were added. */
  get length(): number {
    return this.#packets;
  }

  /** Describes another interface (pcapng) and gives its id for `interfaceId`. */
  addInterface(info: InterfaceInfo): number {
    if (this.format === 'pcap') throw notInPcap('a second interface');
    return this.#describe(info);
  }

  /** Appends a packet. */
  add(packet: PacketLike, info: PacketInfo = {}): this {
    const prepared = this.#prepare(packet, info);
    if (this.format === 'pcap') writePcapPacket(this.#sink, prepared);
    else writePcapngPacket(this.#sink, prepared);
    this.#packets++;
    return this;
  }

  /** The number of bytes that `take` would give now. */
  get pendingBytes(): number {
    return this.#sink.length;
  }

  /** The part of the file since the last call. All parts after one another are the file, at any time. */
  take(): Uint8Array<ArrayBuffer> {
    return this.#sink.take();
  }

  #describe(info: InterfaceInfo): number {
    const linkType = expectInteger('linkType', info.linkType ?? LINKTYPE_ETHERNET, 0, 0xffff);
    const snapLength = expectInteger('snapLength', info.snapLength ?? 0, 0, 0xffff_ffff);
    if (this.format === 'pcap') {
      if (info.name !== undefined || info.description !== undefined || info.comments?.length) {
        throw notInPcap('the name, description or comment of an interface');
      }
      writePcapHeader(this.#sink, linkType, snapLength || MAX_PACKET_BYTES);
    } else {
      writeInterface(this.#sink, linkType, snapLength, {
        name: encodeTexts('name', info.name),
        description: encodeTexts('description', info.description),
        comments: encodeTexts('comment', info.comments),
      });
    }
    return this.#snapLengths.push(snapLength) - 1;
  }

  #prepare(packet: PacketLike, info: PacketInfo): PreparedPacket {
    const whole = packetBytes(packet, `packet ${this.#packets}`);
    const interfaceId = info.interfaceId ?? 0;
    const snapLength = this.#snapLengths[interfaceId];
    if (snapLength === undefined) {
      throw invalidArgument(
        `interfaceId ${describeValue(interfaceId)} is not known: there are ${this.#snapLengths.length} interfaces; see addInterface`,
      );
    }
    const bytes = snapLength > 0 && whole.length > snapLength ? whole.subarray(0, snapLength) : whole;
    const { verdict, flags } = info;
    const comments = encodeTexts('comment', info.comments);
    if (this.format === 'pcap' && (verdict !== undefined || flags !== undefined || comments.length > 0)) {
      throw notInPcap('a verdict, flags or a comment');
    }
    // Readers take more for damage. In pcapng that is the whole block: at most 64 bytes beside the data and texts.
    const limit = this.format === 'pcap' ? MAX_PACKET_BYTES : MAX_BLOCK_BYTES - 64;
    const size = comments.reduce((sum, comment) => sum + comment.length + 8, bytes.length);
    if (size > limit) {
      throw invalidArgument(
        `packet ${this.#packets} has ${size} bytes with its comments, a capture holds at most ${limit}`,
      );
    }
    return {
      bytes,
      originalLength: expectInteger('originalLength', info.originalLength ?? whole.length, 0, 0xffff_ffff),
      timestampNs: this.#timestamp(info.timestampNs ?? 0n),
      interfaceId,
      comments,
      flags: flags === undefined ? undefined : expectInteger('flags', flags, 0, 0xffff_ffff),
      verdict: verdict === undefined ? undefined : xdpVerdict(verdict),
    };
  }

  #timestamp(timestampNs: bigint): bigint {
    const limit = this.format === 'pcap' ? 0x1_0000_0000n * 1_000_000_000n : 1n << 64n;
    if (typeof timestampNs !== 'bigint' || timestampNs < 0n || timestampNs >= limit) {
      throw invalidArgument(
        `timestampNs must be a bigint of nanoseconds from 0n to ${limit - 1n}n, got ${describeValue(timestampNs)}`,
      );
    }
    return timestampNs;
  }
}

function xdpVerdict(verdict: NonNullable<PacketInfo['verdict']>): bigint {
  if (typeof verdict !== 'object') return verdictValue(verdict);
  if (verdict.kind === 'xdp' && verdict.value !== undefined) return verdictValue(verdict.value);
  throw invalidArgument(
    `only verdicts of XDP can be written, got one of kind ${describeValue(verdict.kind)}`,
  );
}

function encodeText(name: string, text: string): Uint8Array {
  if (typeof text !== 'string') throw invalidArgument(`${name} must be a string, got ${describeValue(text)}`);
  const bytes = encoder.encode(text);
  if (bytes.length > MAX_TEXT_BYTES) {
    throw invalidArgument(`${name} has ${bytes.length} bytes, at most ${MAX_TEXT_BYTES} fit`);
  }
  return bytes;
}

function encodeTexts(name: string, texts: string | readonly string[] | undefined): readonly Uint8Array[] {
  if (texts === undefined) return [];
  return typeof texts === 'string' ? [encodeText(name, texts)] : texts.map((text) => encodeText(name, text));
}

function notInPcap(what: string) {
  return invalidArgument(`CaptureWriter: a pcap file cannot hold ${what}: use pcapng`);
}
