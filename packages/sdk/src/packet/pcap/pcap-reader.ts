/** The classic format: a header of 24 bytes, then packets of 16 bytes and their data. draft-ietf-opsawg-pcap. */
import { type CaptureInterface, type CaptureRecord, MAX_BLOCK_BYTES, MAX_PACKET_BYTES } from './record.ts';
import { SectionView } from './section-view.ts';
import { type BlockReader, type Damage, damage, needMore, type Step } from './step.ts';

const HEADER_BYTES = 24;
const PACKET_HEADER_BYTES = 16;
const MICROSECONDS = 0xa1b2c3d4;
const NANOSECONDS = 0xa1b23c4d;

/** The byte order and resolution that a magic number stands for; undefined for another format. */
function variantOf(bytes: Uint8Array): { littleEndian: boolean; nanoseconds: boolean } | undefined {
  for (const littleEndian of [true, false]) {
    const magic = new SectionView(bytes, littleEndian).u32(0);
    if (magic === MICROSECONDS || magic === NANOSECONDS) {
      return { littleEndian, nanoseconds: magic === NANOSECONDS };
    }
  }
  return undefined;
}

/** Whether a file that starts with these (at least 4) bytes is a pcap file. */
export function isPcap(bytes: Uint8Array): boolean {
  return variantOf(bytes) !== undefined;
}

export class PcapReader implements BlockReader {
  readonly format = 'pcap';
  readonly interfaces: CaptureInterface[] = [];
  #littleEndian = true;
  #ticksToNs = 1000n;
  #maxPacketBytes = MAX_PACKET_BYTES;

  step(bytes: Uint8Array, index: number): Step {
    return this.interfaces.length === 0 ? this.#header(bytes) : this.#packet(bytes, index);
  }

  #header(bytes: Uint8Array): Step {
    if (bytes.length < HEADER_BYTES) return needMore(HEADER_BYTES);
    const { littleEndian, nanoseconds } = variantOf(bytes)!;
    const view = new SectionView(bytes, littleEndian);
    const version = `${view.u16(4)}.${view.u16(6)}`;
    if (view.u16(4) !== 2) return damage(4, `version ${version} is not known, expected 2.4`);
    this.#littleEndian = littleEndian;
    this.#ticksToNs = nanoseconds ? 1n : 1000n;
    const snapLength = view.u32(16);
    this.#maxPacketBytes = Math.min(MAX_BLOCK_BYTES, Math.max(snapLength, MAX_PACKET_BYTES));
    // The upper six bits of the last word say whether packets end with an FCS, and how long it is.
    this.interfaces.push({ id: 0, linkType: view.u32(20) & 0x03ff_ffff, snapLength, comments: [] });
    return { consumed: HEADER_BYTES };
  }

  #packet(bytes: Uint8Array, index: number): Step {
    if (bytes.length < PACKET_HEADER_BYTES) return needMore(PACKET_HEADER_BYTES);
    const view = new SectionView(bytes, this.#littleEndian);
    const length = view.u32(8);
    if (length > this.#maxPacketBytes) return this.#tooLong(length);
    const end = PACKET_HEADER_BYTES + length;
    if (bytes.length < end) return needMore(end);
    const record: CaptureRecord = {
      index,
      bytes: bytes.subarray(PACKET_HEADER_BYTES, end),
      originalLength: view.u32(12),
      timestampNs: BigInt(view.u32(0)) * 1_000_000_000n + BigInt(view.u32(4)) * this.#ticksToNs,
      interfaceId: 0,
      linkType: this.interfaces[0]!.linkType,
      comments: [],
    };
    return { consumed: end, record };
  }

  #tooLong(length: number): Damage {
    return damage(8, `a packet of ${length} bytes, more than the ${this.#maxPacketBytes} that there can be`);
  }
}
