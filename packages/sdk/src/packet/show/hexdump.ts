/** A packet's bytes with its layers, or some of its fields, marked. */
import type { Frame } from '../codec.ts';
import { layerPath } from '../path.ts';
import { formatCarets, formatNames, formatRow, type Mark } from './rows.ts';

/** All bytes of a packet. Below each row stand the layers, or carets below the marks if there are any. */
export function formatHexdump(frame: Frame, marks: readonly Mark[]): string {
  const layers = frame.spans.map(
    ({ offset, header }, i): Mark => ({ from: offset, to: offset + header, label: layerPath(frame, i) }),
  );
  const lines: string[] = [];
  for (let start = 0; start < frame.bytes.length; start += 16) {
    lines.push(formatRow(frame.bytes, start));
    lines.push(marks.length > 0 ? formatCarets(marks, start) : formatNames(layers, start));
  }
  return lines.length === 0 ? '(no bytes)' : lines.filter((line) => line !== '').join('\n');
}
