/** Distributions as one web page that can be kept as a build artefact. */
import { describeValue, expectOptions, invalidArgument } from '../errors.ts';
import { farthest } from './bar-chart.ts';
import type { Distribution } from './distribution.ts';
import { formatCount, formatDecimals, formatPercent, formatProbability } from './format.ts';
import { escapeMarkup } from './report-style.ts';
import { reportSvg } from './report-svg.ts';

/** Options of {@link reportHtml}. */
export interface ReportHtmlOptions {
  readonly title?: string;
}

/** Rows of the table under each picture; those farthest from expected are kept. */
const MAX_ROWS = 1000;

const pageStyle = [
  ':root{color-scheme:light dark;--page:#f4f6f8;--card:#fff;--ink:#1c2430;--soft:#5b6675;--line:#e1e5ea;--off:#cf4a2f}',
  '@media(prefers-color-scheme:dark){:root{--page:#0d1117;--card:#161b22;--ink:#e6edf3;--soft:#9aa5b1;--line:#2a313a;--off:#ff7b5c}}',
  'body{margin:0 auto;padding:28px 20px 60px;max-width:920px;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,"Segoe UI","DejaVu Sans",sans-serif}',
  'h1{font-size:24px;margin:0 0 20px}',
  'section{margin:0 0 34px}',
  'svg{width:100%;height:auto;display:block;border-radius:10px;box-shadow:0 1px 3px #0002}',
  'dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(200px,45%),1fr));gap:10px;margin:12px 0}',
  'dl div{background:var(--card);border-radius:8px;padding:8px 12px}',
  'dt{color:var(--soft);font-size:12px}dd{margin:0;font-size:16px;font-variant-numeric:tabular-nums}',
  'summary{cursor:pointer;color:var(--soft)}',
  'table{width:100%;border-collapse:collapse;margin-top:8px;font-size:13px;font-variant-numeric:tabular-nums}',
  'th,td{padding:4px 8px;text-align:right;border-bottom:1px solid var(--line)}',
  'th:first-child,td:first-child{text-align:left;overflow-wrap:anywhere}th{color:var(--soft);font-weight:500}',
  '.off{color:var(--off)}',
].join('');

/**
 * A self-contained page: one picture, the figures and a table for each distribution. No scripts, no external
 * resources. With a record, each one is shown under its name.
 */
export function reportHtml(
  distributions: Distribution<unknown> | Readonly<Record<string, Distribution<unknown>>>,
  options?: ReportHtmlOptions,
): string {
  const { title = 'Distribution' } = expectOptions<ReportHtmlOptions>('reportHtml', options, ['title']);
  if (typeof title !== 'string') {
    throw invalidArgument(`reportHtml: title must be a string, got ${describeValue(title)}`);
  }
  const sections = isDistribution(distributions) ? { [title]: distributions } : distributions;
  const body = Object.entries(sections).map(([name, one]) => section(name, one));
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${escapeMarkup(title)}</title><style>${pageStyle}</style></head><body>`,
    `<h1>${escapeMarkup(title)}</h1>`,
    ...body,
    '</body></html>\n',
  ].join('\n');
}

function isDistribution(value: object): value is Distribution<unknown> {
  return 'counts' in value && Array.isArray(value.counts);
}

function section(name: string, d: Distribution<unknown>): string {
  const figures: [string, string][] = [
    ['counted', formatCount(d.n)],
    ['categories', formatCount(d.k)],
    ['coefficient of variation', formatPercent(d.cv)],
    ['what chance allows', formatPercent(d.expectedCv)],
    ['smallest share', formatPercent(d.minShare)],
    ['largest share', formatPercent(d.maxShare)],
    ['chi-square', `${formatDecimals(d.chiSquare, 1)} on ${formatCount(d.degreesOfFreedom)}`],
    ['p-value', formatProbability(d.pValue)],
  ];
  const shown = farthest(d.counts, MAX_ROWS);
  const rows = shown.map((row) => {
    const off = Math.abs(row.z) > 3.29 ? ' class="off"' : '';
    const cells = [
      formatCount(row.count),
      formatPercent(row.share),
      formatCount(row.expected),
      `<span${off}>${formatDecimals(row.z, 2)}</span>`,
    ];
    return `<tr><td>${escapeMarkup(row.label)}</td>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  const left = d.k - shown.length;
  return [
    '<section>',
    reportSvg(d, { title: name }),
    `<dl>${figures.map(([term, value]) => `<div><dt>${term}</dt><dd>${escapeMarkup(value)}</dd></div>`).join('')}</dl>`,
    `<details><summary>${formatCount(shown.length)} categories${left > 0 ? ` (${formatCount(left)} nearer to expected left out)` : ''}</summary>`,
    '<table><thead><tr><th>category</th><th>count</th><th>share</th><th>expected</th><th>σ from expected</th></tr></thead>',
    `<tbody>${rows.join('\n')}</tbody></table></details>`,
    '</section>',
  ].join('\n');
}
