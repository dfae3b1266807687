/** The options of a packet block that a record shows: comments, flags, the verdict. */
import {
  OPTION_COMMENT,
  OPTION_PACKET_FLAGS,
  OPTION_PACKET_QUEUE,
  OPTION_PACKET_VERDICT,
  type Option,
  optionText,
  readOptions,
  wrongLength,
} from './pcapng-options.ts';
import type { CaptureRecord, CaptureVerdict } from './record.ts';
import type { SectionView } from './section-view.ts';
import { type Damage, damage } from './step.ts';

export type PacketDetails = Pick<CaptureRecord, 'comments' | 'flags' | 'verdict'>;

/** `epb_verdict` types: a program on a traffic control hook, and an XDP program. */
export const VERDICT_TC = 1;
export const VERDICT_XDP = 2;

const none: PacketDetails = { comments: [] };

export function readPacketOptions(block: SectionView, from: number, to: number): PacketDetails | Damage {
  const options = readOptions(block, from, to);
  if ('problem' in options) return options;
  if (options.length === 0) return none;
  const comments: string[] = [];
  const details: { flags?: number; verdict?: CaptureVerdict } = {};
  for (const option of options) {
    if (option.code === OPTION_COMMENT) {
      comments.push(optionText(block, option));
    } else if (option.code === OPTION_PACKET_FLAGS) {
      const wrong = wrongLength(option, 4);
      if (wrong) return wrong;
      details.flags = block.u32(option.start);
    } else if (option.code === OPTION_PACKET_VERDICT || isMislabelledVerdict(block, option)) {
      const verdict = readVerdict(block, option);
      if ('problem' in verdict) return verdict;
      details.verdict = verdict;
    }
  }
  return { comments, ...details };
}

/**
 * Wireshark 4.0 (editcap 4.0.17 seen) writes an eBPF verdict under the code of the queue option, whose value is
 * always four bytes long.
 */
function isMislabelledVerdict(block: SectionView, option: Option): boolean {
  if (option.code !== OPTION_PACKET_QUEUE || option.end - option.start !== 9) return false;
  const type = block.bytes[option.start];
  return type === VERDICT_TC || type === VERDICT_XDP;
}

/** One byte for the type, then the value; those of eBPF are 64-bit, in the byte order of the section. */
function readVerdict(block: SectionView, option: Option): CaptureVerdict | Damage {
  const type = block.bytes[option.start];
  if (type === undefined || option.end === option.start) {
    return damage(option.start - 4, 'a verdict without a type');
  }
  if (type === VERDICT_TC || type === VERDICT_XDP) {
    const wrong = wrongLength(option, 9);
    if (wrong) return wrong;
    return { kind: type === VERDICT_XDP ? 'xdp' : 'tc', value: block.u64(option.start + 1) };
  }
  return { kind: 'other', type, bytes: block.bytes.slice(option.start + 1, option.end) };
}
