/** The block format: draft-ietf-opsawg-pcapng. Blocks of other kinds than packets and interfaces are skipped. */

import {
  OPTION_COMMENT,
  OPTION_INTERFACE_DESCRIPTION,
  OPTION_INTERFACE_NAME,
  OPTION_TIMESTAMP_OFFSET,
  OPTION_TIMESTAMP_RESOLUTION,
  optionText,
  readOptions,
  wrongLength,
} from './pcapng-options.ts';
import { readPacketOptions } from './pcapng-packet-options.ts';
import { type CaptureInterface, MAX_BLOCK_BYTES } from './record.ts';
import { SectionView } from './section-view.ts';
import { type BlockReader, type Damage, damage, needMore, type Step } from './step.ts';
import { type Clock, defaultClock, ticksPerSecond, toNanoseconds } from './timestamps.ts';

const SECTION_HEADER = 0x0a0d0d0a;
const INTERFACE_DESCRIPTION = 1;
const OBSOLETE_PACKET = 2;
const SIMPLE_PACKET = 3;
const ENHANCED_PACKET = 6;
const BYTE_ORDER_MAGIC = 0x1a2b3c4d;
/** Type, length, and the length again at the end. */
const FRAME_BYTES = 12;

/** Whether a file that starts with these (at least 4) bytes is a pcapng file: the type is a palindrome. */
export function isPcapng(bytes: Uint8Array): boolean {
  return new SectionView(bytes, true).u32(0) === SECTION_HEADER;
}

/** Where the parts of a packet are in its block. */
interface PacketLayout {
  readonly interfaceId: number;
  readonly time: number | undefined;
  readonly length: number;
  readonly originalLength: number;
  readonly data: number;
}

export class PcapngReader implements BlockReader {
  readonly format = 'pcapng';
  readonly interfaces: CaptureInterface[] = [];
  readonly #clocks: Clock[] = [];
  #littleEndian = true;
  /** The first interface of this section: ids start anew with each one. */
  #sectionStart = 0;

  step(bytes: Uint8Array, index: number): Step {
    if (bytes.length < FRAME_BYTES) return needMore(FRAME_BYTES);
    const isHeader = isPcapng(bytes);
    if (isHeader) {
      const order = this.#byteOrder(bytes);
      if (order) return order;
    }
    const view = new SectionView(bytes, this.#littleEndian);
    const total = view.u32(4);
    if (total < FRAME_BYTES || total % 4 !== 0 || total > MAX_BLOCK_BYTES) {
      return damage(4, `a block of ${total} bytes, expected a multiple of 4 from 12 to ${MAX_BLOCK_BYTES}`);
    }
    if (bytes.length < total) return needMore(total);
    if (view.u32(total - 4) !== total) {
      return damage(total - 4, `a block's two lengths differ: ${total} and ${view.u32(total - 4)}`);
    }
    const block = new SectionView(bytes.subarray(0, total), this.#littleEndian);
    if (isHeader) return this.#section(block);
    switch (view.u32(0)) {
      case INTERFACE_DESCRIPTION:
        return this.#interface(block);
      case ENHANCED_PACKET:
        return this.#enhancedPacket(block, index);
      case SIMPLE_PACKET:
        return this.#simplePacket(block, index);
      case OBSOLETE_PACKET:
        return this.#obsoletePacket(block, index);
      default:
        return { consumed: total };
    }
  }

  #byteOrder(bytes: Uint8Array): Damage | undefined {
    for (const littleEndian of [true, false]) {
      if (new SectionView(bytes, littleEndian).u32(8) === BYTE_ORDER_MAGIC) {
        this.#littleEndian = littleEndian;
        return undefined;
      }
    }
    return damage(8, 'the section header has no byte-order magic');
  }

  #section(block: SectionView): Step {
    const total = block.bytes.length;
    if (total < 28) return tooShort(block, 28);
    if (block.u16(12) !== 1) {
      return damage(12, `version ${block.u16(12)}.${block.u16(14)} is not known, expected 1.0`);
    }
    this.#sectionStart = this.interfaces.length;
    return { consumed: total };
  }

  #interface(block: SectionView): Step {
    const total = block.bytes.length;
    if (total < 20) return tooShort(block, 20);
    const options = readOptions(block, 16, total - 4);
    if ('problem' in options) return options;
    let { ticksPerSecond: ticks, offsetSeconds } = defaultClock;
    const texts: { name?: string; description?: string } = {};
    const comments: string[] = [];
    for (const option of options) {
      switch (option.code) {
        case OPTION_COMMENT:
          comments.push(optionText(block, option));
          break;
        case OPTION_INTERFACE_NAME:
          texts.name = optionText(block, option);
          break;
        case OPTION_INTERFACE_DESCRIPTION:
          texts.description = optionText(block, option);
          break;
        case OPTION_TIMESTAMP_RESOLUTION: {
          const wrong = wrongLength(option, 1);
          if (wrong) return wrong;
          ticks = ticksPerSecond(block.bytes[option.start]!);
          break;
        }
        case OPTION_TIMESTAMP_OFFSET: {
          const wrong = wrongLength(option, 8);
          if (wrong) return wrong;
          offsetSeconds = block.i64(option.start);
          break;
        }
      }
    }
    const id = this.interfaces.length;
    this.interfaces.push({ id, linkType: block.u16(8), snapLength: block.u32(12), ...texts, comments });
    this.#clocks.push({ ticksPerSecond: ticks, offsetSeconds });
    return { consumed: total };
  }

  #enhancedPacket(block: SectionView, index: number): Step {
    if (block.bytes.length < 32) return tooShort(block, 32);
    return this.#packet(block, index, {
      interfaceId: block.u32(8),
      time: 12,
      length: block.u32(20),
      originalLength: block.u32(24),
      data: 28,
    });
  }

  /** The block that came before the enhanced one; some old captures have it. Its option codes are the same. */
  #obsoletePacket(block: SectionView, index: number): Step {
    if (block.bytes.length < 32) return tooShort(block, 32);
    return this.#packet(block, index, {
      interfaceId: block.u16(8),
      time: 12,
      length: block.u32(20),
      originalLength: block.u32(24),
      data: 28,
    });
  }

  /** No time, no length of its own, no options: always of the section's first interface. */
  #simplePacket(block: SectionView, index: number): Step {
    if (block.bytes.length < 16) return tooShort(block, 16);
    const originalLength = block.u32(8);
    const snapLength = this.interfaces[this.#sectionStart]?.snapLength || originalLength;
    const length = Math.min(originalLength, snapLength);
    return this.#packet(block, index, { interfaceId: 0, time: undefined, length, originalLength, data: 12 });
  }

  #packet(block: SectionView, index: number, layout: PacketLayout): Step {
    const interfaceId = this.#sectionStart + layout.interfaceId;
    const device = this.interfaces[interfaceId];
    if (device === undefined) {
      return damage(
        8,
        `a packet of interface ${layout.interfaceId}, but its section has described ${this.interfaces.length - this.#sectionStart}`,
      );
    }
    const room = block.bytes.length - 4;
    const end = layout.data + layout.length;
    if (end > room) {
      return damage(0, `a packet of ${layout.length} bytes in a block with room for ${room - layout.data}`);
    }
    const details = readPacketOptions(block, end + (-layout.length & 3), room);
    if ('problem' in details) return details;
    const { time } = layout;
    const timestampNs =
      time === undefined
        ? undefined
        : toNanoseconds(this.#clocks[interfaceId]!, block.u32(time), block.u32(time + 4));
    return {
      consumed: block.bytes.length,
      record: {
        index,
        bytes: block.bytes.subarray(layout.data, end),
        originalLength: layout.originalLength,
        timestampNs,
        interfaceId,
        linkType: device.linkType,
        ...details,
      },
    };
  }
}

function tooShort(block: SectionView, least: number): Damage {
  return damage(
    4,
    `a block of type ${block.u32(0)} has ${block.bytes.length} bytes, expected at least ${least}`,
  );
}
