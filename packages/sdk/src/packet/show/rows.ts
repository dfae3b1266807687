/** Bytes in rows of sixteen, with lines below that mark some of them. */

/** Bytes to mark. */
export interface Mark {
  readonly from: number;
  readonly to: number;
  readonly label: string;
}

const ROW = 16;

/** The start of the row that holds a byte. */
export const rowOf = (offset: number): number => offset - (offset % ROW);

/** The column of a byte in a row: two digits and a blank each, and one more blank in the middle. */
const column = (index: number) => index * 3 + (index >= ROW / 2 ? 1 : 0);

/** A row of bytes: offset, hex, and text. */
export function formatRow(bytes: Uint8Array, start: number): string {
  let hex = '';
  let text = '';
  for (let i = start; i < Math.min(start + ROW, bytes.length); i++) {
    hex = `${hex.padEnd(column(i - start))}${bytes[i]!.toString(16).padStart(2, '0')}`;
    text += bytes[i]! >= 0x20 && bytes[i]! < 0x7f ? String.fromCharCode(bytes[i]!) : '.';
  }
  return `${formatOffset(start)}  ${hex.padEnd(column(ROW))} ${text}`;
}

/** Carets below the bytes of a row that are marked, with the labels of the marks that begin there; '' for none. */
export function formatCarets(marks: readonly Mark[], start: number): string {
  let line = '';
  const labels: string[] = [];
  const inRow = marks.filter(({ from, to }) => from < start + ROW && to > start);
  for (const { from, to, label } of inRow.sort((a, b) => a.from - b.from)) {
    const first = Math.max(from, start) - start;
    const last = Math.min(to, start + ROW) - 1 - start;
    // Fields of some bits each may share a byte.
    line = `${line.padEnd(column(first))}${'^'.repeat(Math.max(0, column(last) + 2 - Math.max(line.length, column(first))))}`;
    if (from >= start) labels.push(label);
  }
  return inRow.length === 0 ? '' : `${' '.repeat(OFFSET)}${line}  ${labels.join(', ')}`.trimEnd();
}

/** Names below the bytes of a row, each over the whole width of its bytes. */
export function formatNames(marks: readonly Mark[], start: number): string {
  let line = '';
  for (const { from, to, label } of marks) {
    if (from >= start + ROW || to <= start) continue;
    const first = column(Math.max(from, start) - start);
    const width = column(Math.min(to, start + ROW) - 1 - start) + 2 - first;
    const name = from >= start ? label.slice(0, width) : '';
    line = `${line.padEnd(first)}${name.padEnd(width, '-')}`;
  }
  return `${' '.repeat(OFFSET)}${line}`.trimEnd();
}

const formatOffset = (offset: number) => offset.toString(16).padStart(4, '0');
const OFFSET = 6;
