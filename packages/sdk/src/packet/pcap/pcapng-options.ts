/** The options at the end of a pcapng block: code, length, value, padded to four bytes. */
import type { SectionView } from './section-view.ts';
import { type Damage, damage } from './step.ts';

export const OPTION_COMMENT = 1;
export const OPTION_INTERFACE_NAME = 2;
export const OPTION_INTERFACE_DESCRIPTION = 3;
export const OPTION_TIMESTAMP_RESOLUTION = 9;
export const OPTION_TIMESTAMP_OFFSET = 14;
export const OPTION_PACKET_FLAGS = 2;
export const OPTION_PACKET_QUEUE = 6;
export const OPTION_PACKET_VERDICT = 7;

/** Where the value of an option is in its block. */
export interface Option {
  readonly code: number;
  readonly start: number;
  readonly end: number;
}

/** The options between `from` and `to`, or what is wrong with them. A missing end mark is allowed. */
export function readOptions(block: SectionView, from: number, to: number): readonly Option[] | Damage {
  const options: Option[] = [];
  let at = from;
  while (at + 4 <= to) {
    const code = block.u16(at);
    const length = block.u16(at + 2);
    if (code === 0) return options;
    const start = at + 4;
    const end = start + length;
    if (end > to) {
      return damage(at, `option ${code} claims ${length} bytes where its block has ${to - start} left`);
    }
    options.push({ code, start, end });
    at = end + (-length & 3);
  }
  return options;
}

/** An option whose length must be exact. */
export function wrongLength(option: Option, expected: number): Damage | undefined {
  const length = option.end - option.start;
  if (length === expected) return undefined;
  return damage(option.start - 4, `option ${option.code} has ${length} bytes, expected ${expected}`);
}

const decoder = new TextDecoder();

export function optionText(block: SectionView, option: Option): string {
  // A copy: the decoder of a browser refuses shared memory.
  return decoder.decode(block.bytes.slice(option.start, option.end));
}
