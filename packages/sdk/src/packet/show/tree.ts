/** A packet as a tree: a line for each layer, and below it one for each field. */
import type { Frame, Span } from '../codec.ts';
import { layerPath } from '../path.ts';
import { correction, tailRanges } from '../read-layer.ts';

/** The tree for the packet in a frame. Wrong lengths and checksums are pointed out. */
export function formatTree(frame: Frame): string {
  const lines = frame.spans.flatMap((span, i) => [
    headline(frame, i),
    ...fixedLines(frame, i),
    ...tailRanges(frame.bytes, span).map(
      ({ tail, from, to }) =>
        `  ${pad(tail.name)} ${tail.type.format(tail.type.read(frame.bytes, from, to))}`,
    ),
    ...(span.reason === undefined ? [] : [`  ${pad('reason')} ${span.reason}`]),
  ]);
  return lines.length === 0 ? '(no bytes)' : lines.join('\n');
}

function headline(frame: Frame, index: number): string {
  const { codec, offset, header }: Span = frame.spans[index]!;
  const path = layerPath(frame, index);
  return `${path === codec.title.toLowerCase() ? codec.title : `${codec.title} (${path})`} @${offset}, ${header} B`;
}

function fixedLines(frame: Frame, index: number): string[] {
  const { table, offset } = frame.spans[index]!;
  return table.fields.map(({ name, type, width, read }) => {
    const value = read(frame.bytes, offset);
    const right = correction(frame, index, name);
    const note = right === undefined ? '' : `  (should be ${type.format(right, width)})`;
    return `  ${pad(name)} ${type.format(value, width)}${note}`;
  });
}

const pad = (name: string) => name.padEnd(16);
