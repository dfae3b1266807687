/** A distribution as a bar chart in text. */
import { expectInteger, expectOptions } from '../errors.ts';
import type { Category, Distribution } from './distribution.ts';
import { formatCount, formatDecimals, formatPercent, formatProbability } from './format.ts';

/** Options of {@link barChart}. */
export interface BarChartOptions {
  /** The longest bar, in characters. Default 40. */
  readonly width?: number;
  /** At most this many categories; those farthest from expected are kept. Default 64. */
  readonly rows?: number;
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** One line for each category (label, bar, count, share, distance from expected), and a summary. */
export function barChart(distribution: Distribution<unknown>, options?: BarChartOptions): string {
  const { width = 40, rows = 64 } = expectOptions<BarChartOptions>('barChart', options, ['width', 'rows']);
  expectInteger('barChart: width', width, 1, 1000);
  expectInteger('barChart: rows', rows, 1, 10_000);
  const shown = farthest(distribution.counts, rows);
  const cells = shown.map((category) => [
    oneLine(category.label),
    bar((category.count / distribution.max) * width).padEnd(width),
    formatCount(category.count),
    formatPercent(category.share),
    signed(category.z),
  ]);
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...cells.map((row) => row[column]!.length)));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => (column < 2 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  '),
  );
  if (shown.length < distribution.k) {
    lines.push(`(${distribution.k - shown.length} more, all nearer to what was expected)`);
  }
  return `${lines.join('\n')}\n${summaryLine(distribution)}`;
}

/** The figures of a distribution on one line. */
export function summaryLine(d: Distribution<unknown>): string {
  return (
    `n ${formatCount(d.n)}, k ${formatCount(d.k)}, cv ${formatPercent(d.cv)} ` +
    `(chance: ${formatPercent(d.expectedCv)}), shares ${formatPercent(d.minShare)} to ${formatPercent(d.maxShare)}, ` +
    `chi-square ${formatDecimals(d.chiSquare, 1)} on ${formatCount(d.degreesOfFreedom)}, p ${formatProbability(d.pValue)}`
  );
}

/** The `limit` categories farthest from expected, in their old order. */
export function farthest<K>(counts: readonly Category<K>[], limit: number): readonly Category<K>[] {
  if (counts.length <= limit) return counts;
  const order = [...counts.keys()].sort((a, b) => Math.abs(counts[b]!.z) - Math.abs(counts[a]!.z) || a - b);
  return order
    .slice(0, limit)
    .sort((a, b) => a - b)
    .map((index) => counts[index]!);
}

function bar(length: number): string {
  const whole = Math.floor(length);
  const part = eighths[Math.floor((length - whole) * 8)]!;
  // A count that is not 0 must be seen to be there.
  return whole === 0 && part === '' && length > 0 ? '▏' : '█'.repeat(whole) + part;
}

function signed(z: number): string {
  const size = formatDecimals(Math.abs(z), 1);
  return `${size === '0.0' ? ' ' : z < 0 ? '-' : '+'}${size}σ`;
}

/** A label must not break the chart or drive the terminal. */
function oneLine(label: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
  const clean = label.replace(/[\u0000-\u001f\u007f-\u009f]/g, '\ufffd');
  return clean.length > 40 ? `${clean.slice(0, 39)}…` : clean;
}
