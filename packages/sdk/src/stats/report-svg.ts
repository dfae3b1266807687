/** A distribution as a picture: shares above, deviations from expected against what chance does below. */
import { describeValue, expectInteger, expectOptions, invalidArgument } from '../errors.ts';
import { summaryLine } from './bar-chart.ts';
import type { Category, Distribution } from './distribution.ts';
import { formatCount, formatDecimals, formatPercent, verdictOf } from './format.ts';
import { chartStyle, escapeMarkup } from './report-style.ts';

/** Options of {@link reportSvg}. */
export interface ReportSvgOptions {
  readonly title?: string;
  /** Width in pixels; default 880. */
  readonly width?: number;
}

/** Above this the bars would be thinner than a pixel: a sample of the sorted categories is drawn instead. */
const MAX_BARS = 400;
/** Two-sided 99.9 % of a normal distribution: one bar in a thousand is outside by chance. */
const BAND = 3.2905267314919255;
const LEFT = 64;
const RIGHT = 20;
const TOP = 92;
const SHARES = 190;
const GAP = 34;
const DEVIATIONS = 130;

/** A self-contained SVG: no scripts, no external resources, light and dark by the reader's preference. */
export function reportSvg(distribution: Distribution<unknown>, options?: ReportSvgOptions): string {
  const { title = 'Distribution', width = 880 } = expectOptions<ReportSvgOptions>('reportSvg', options, [
    'title',
    'width',
  ]);
  if (typeof title !== 'string') {
    throw invalidArgument(`reportSvg: title must be a string, got ${describeValue(title)}`);
  }
  expectInteger('reportSvg: width', width, 320, 10_000);
  const bars = pick(distribution.counts);
  const plot = { width: width - LEFT - RIGHT, slot: (width - LEFT - RIGHT) / bars.length };
  const labels = labelHeight(bars, plot.slot);
  const height = TOP + SHARES + GAP + DEVIATIONS + labels + 30;
  const note =
    bars.length < distribution.k ? ` · ${bars.length} of ${formatCount(distribution.k)}, sorted` : '';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="xdptest-chart" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeMarkup(`${title}: ${summaryLine(distribution)}`)}">`,
    `<style>${chartStyle}</style>`,
    `<rect class="card" width="${width}" height="${height}" rx="10"/>`,
    `<text class="title" x="20" y="32">${escapeMarkup(title)}</text>`,
    `<text class="verdict" x="20" y="53">${escapeMarkup(`n = ${formatCount(distribution.n)} · k = ${formatCount(distribution.k)} · cv ${formatPercent(distribution.cv)}, chance ${formatPercent(distribution.expectedCv)} · ${verdictOf(distribution)}${note}`)}</text>`,
    sharesPanel(bars, distribution, plot),
    deviationsPanel(bars, distribution, plot),
    axisLabels(bars, plot.slot, TOP + SHARES + GAP + DEVIATIONS + 14),
    '</svg>',
  ].join('\n');
}

type Bars = readonly Category<unknown>[];
interface Plot {
  readonly width: number;
  readonly slot: number;
}

function pick(counts: Bars): Bars {
  if (counts.length <= MAX_BARS) return counts;
  const sorted = [...counts].sort((a, b) => a.count - b.count);
  return Array.from(
    { length: MAX_BARS },
    (_, i) => sorted[Math.round((i * (sorted.length - 1)) / (MAX_BARS - 1))]!,
  );
}

function sharesPanel(bars: Bars, d: Distribution<unknown>, plot: Plot): string {
  const top = Math.max(...bars.map((bar) => Math.max(bar.share, bar.expected / d.n)));
  const { step, count } = ticks(top);
  const y = (share: number) => TOP + SHARES * (1 - share / (step * count));
  const parts = [`<text class="axis" x="20" y="${TOP - 8}">share; dashed: expected</text>`];
  for (let i = 0; i <= count; i++) parts.push(gridLine(y(step * i), formatPercent(step * i), plot, i === 0));
  const inner = Math.max(plot.slot * 0.74, Math.min(plot.slot, 1));
  bars.forEach((bar, i) => {
    const x = LEFT + i * plot.slot + (plot.slot - inner) / 2;
    parts.push(
      `<rect class="${toneOf(bar)}" x="${fixed(x)}" y="${fixed(y(bar.share))}" width="${fixed(inner)}" height="${fixed(y(0) - y(bar.share))}" rx="${inner > 8 ? 2 : 0}"><title>${tooltip(bar)}</title></rect>`,
    );
  });
  const expected = bars
    .map((bar, i) => {
      const at = fixed(y(bar.expected / d.n));
      return `${i === 0 ? 'M' : 'L'}${fixed(LEFT + i * plot.slot)} ${at}H${fixed(LEFT + (i + 1) * plot.slot)}`;
    })
    .join('');
  parts.push(`<path class="expected" d="${expected}"/>`);
  return parts.join('\n');
}

function deviationsPanel(bars: Bars, d: Distribution<unknown>, plot: Plot): string {
  const relative = bars.map((bar) => (bar.expected > 0 ? bar.count / bar.expected - 1 : 0));
  const bands = bars.map((bar) => chanceBand(bar.expected, d.n));
  const reach = Math.max(1e-9, ...relative.map(Math.abs), ...bands);
  const middle = TOP + SHARES + GAP + DEVIATIONS / 2;
  const y = (deviation: number) => middle - (deviation / reach) * (DEVIATIONS / 2 - 6);
  const parts = [
    `<text class="axis" x="20" y="${TOP + SHARES + GAP - 8}">deviation from expected; shaded: 99.9 % of what chance does</text>`,
  ];
  bands.forEach((band, i) => {
    parts.push(
      `<rect class="band" x="${fixed(LEFT + i * plot.slot)}" y="${fixed(y(band))}" width="${fixed(plot.slot)}" height="${fixed(y(-band) - y(band))}"/>`,
    );
  });
  for (const at of [reach, 0, -reach]) {
    parts.push(gridLine(y(at), `${at > 0 ? '+' : ''}${formatPercent(at)}`, plot, at === 0));
  }
  const radius = Math.max(1.2, Math.min(4, plot.slot * 0.3));
  bars.forEach((bar, i) => {
    const x = fixed(LEFT + (i + 0.5) * plot.slot);
    const at = fixed(y(relative[i]!));
    const stem = plot.slot < 4 ? '' : `<path class="stem" d="M${x} ${fixed(middle)}V${at}"/>`;
    parts.push(
      `${stem}<circle class="${toneOf(bar)}" cx="${x}" cy="${at}" r="${fixed(radius)}"><title>${tooltip(bar)}</title></circle>`,
    );
  });
  return parts.join('\n');
}

function chanceBand(expected: number, n: number): number {
  return expected > 0 ? (BAND * Math.sqrt(expected * (1 - expected / n))) / expected : 0;
}

function toneOf(bar: Category<unknown>): string {
  return Math.abs(bar.z) > BAND ? 'off' : 'bar';
}

function tooltip(bar: Category<unknown>): string {
  return escapeMarkup(
    `${bar.label}: ${formatCount(bar.count)} (${formatPercent(bar.share)}), expected ${formatCount(bar.expected)}, ${formatDecimals(bar.z, 1)} σ`,
  );
}

/** Steps of 1, 2 or 5 times a power of ten, three to six of them. */
function ticks(top: number): { step: number; count: number } {
  const raw = top / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10);
  return { step, count: Math.max(1, Math.ceil(top / step - 1e-9)) };
}

function gridLine(y: number, label: string, plot: Plot, strong: boolean): string {
  return `<path class="${strong ? 'base' : 'grid'}" d="M${LEFT} ${fixed(y)}h${fixed(plot.width)}"/><text class="axis end" x="${LEFT - 8}" y="${fixed(y + 4)}">${escapeMarkup(label)}</text>`;
}

/** Labels stand upright where all fit, slanted where they do not, and are left out where lines would touch. */
function labelsFit(bars: Bars, slot: number): boolean {
  return bars.every((bar) => shortLabel(bar.label).length * 6 < slot);
}

function labelHeight(bars: Bars, slot: number): number {
  if (slot < 11 || labelsFit(bars, slot)) return 0;
  return Math.max(...bars.map((bar) => shortLabel(bar.label).length)) * 4.6;
}

function axisLabels(bars: Bars, slot: number, y: number): string {
  if (slot < 11) return '';
  const upright = labelsFit(bars, slot);
  return bars
    .map((bar, i) => {
      const x = fixed(LEFT + (i + 0.5) * slot + (upright ? 0 : 3));
      const place = upright
        ? `class="label middle" x="${x}" y="${y}"`
        : `class="label end" x="${x}" y="${y}" transform="rotate(-45 ${x} ${y})"`;
      return `<text ${place}>${escapeMarkup(shortLabel(bar.label))}</text>`;
    })
    .join('\n');
}

function shortLabel(label: string): string {
  return label.length > 20 ? `${label.slice(0, 19)}…` : label;
}

function fixed(value: number): string {
  return String(Math.round(value * 100) / 100);
}
