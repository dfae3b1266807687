/** The text of a comparison. */
import type { Frame } from '../codec.ts';
import { formatLine } from '../show/line.ts';
import { formatCarets, formatRow, type Mark, rowOf } from '../show/rows.ts';
import { type Difference, formatDifferences } from './difference.ts';

/** Rows of bytes shown at most: of a long payload that differs everywhere the first ones are enough. */
const MAX_ROWS = 12;

export function formatDiff(expected: Frame, actual: Frame, differences: readonly Difference[]): string {
  const [left, right] = [formatLine(expected), formatLine(actual)];
  if (differences.length === 0) return `  ${right}\n\n  no difference`;
  const lines = left === right ? [left] : [`expected  ${left}`, `got       ${right}`];
  const rows = byteRows(expected, actual, differences);
  return [...lines, '', ...formatDifferences(differences), '', ...rows]
    .map((line) => `  ${line}`.trimEnd())
    .join('\n');
}

/** The rows of bytes around the differences. Where both packets have the same layers, those of both side by side. */
function byteRows(expected: Frame, actual: Frame, differences: readonly Difference[]): string[] {
  const marks = differences.map(
    ({ offset, sizeBytes, path }): Mark => ({
      from: offset,
      to: offset + Math.max(1, sizeBytes),
      label: path,
    }),
  );
  const rows = [...new Set(marks.flatMap(({ from, to }) => rowsBetween(from, to)))].sort((a, b) => a - b);
  const isAligned = differences.every(
    (difference) => difference.kind === 'field' && difference.expectedOffset === difference.offset,
  );
  const lines = rows.slice(0, MAX_ROWS).flatMap((start) => {
    const carets = formatCarets(marks, start);
    if (!isAligned) return [`got       ${formatRow(actual.bytes, start)}`, `${' '.repeat(10)}${carets}`];
    return [
      `expected  ${formatRow(expected.bytes, start)}`,
      `got       ${formatRow(actual.bytes, start)}`,
      `${' '.repeat(10)}${carets}`,
    ];
  });
  return rows.length > MAX_ROWS ? [...lines, `(and ${rows.length - MAX_ROWS} more rows)`] : lines;
}

function rowsBetween(from: number, to: number): number[] {
  const rows: number[] = [];
  for (let row = rowOf(from); row < to; row += 16) rows.push(row);
  return rows;
}
