/** Comparisons of benchmarks as a table, in the columns of benchstat. */
import type { ComparisonTable, SampleSummary } from './benchstat.ts';
import type { BenchmarkSamples } from './benchstat-parse.ts';

const PREFIXES: readonly (readonly [factor: number, prefix: string])[] = [
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
  [1, ''],
  [1e-3, 'm'],
  [1e-6, 'µ'],
  [1e-9, 'n'],
  [1e-12, 'p'],
];

/** The table of one unit. `after` is undefined when there is one file alone. */
export function formatComparison(table: ComparisonTable, before: string, after: string | undefined): string {
  const unit = table.unit === 'ns/op' ? 'sec/op' : table.unit;
  const notes = new Set<string>();
  const value = (summary: SampleSummary | undefined): string => {
    if (summary === undefined) return '';
    if (summary.spread === undefined)
      notes.add('± ∞: at least 6 values are needed for a confidence interval at 95 %');
    const spread = summary.spread === undefined ? '∞' : `${Math.round(summary.spread * 100)}%`;
    return `${scaled(summary.median, table.unit)} ± ${spread}`;
  };
  const rows = table.rows.map((row) => {
    const change =
      row.change === undefined || row.pValue === undefined
        ? ''
        : `${(row.significant ? percent(row.change) : '~').padStart(8)} (p=${row.pValue.toFixed(3)} n=${samples(row.before!.n, row.after!.n)})`;
    return [row.name, value(row.before), value(row.after), change];
  });
  const { geomean } = table;
  if (geomean !== undefined && table.rows.length > 1) {
    const change = percent(geomean.change).padStart(8);
    rows.push(['geomean', scaled(geomean.before, table.unit), scaled(geomean.after, table.unit), change]);
  }
  const head =
    after === undefined
      ? [
          ['', before],
          ['', unit],
        ]
      : [
          ['', before, after, ''],
          ['', unit, unit, 'vs base'],
        ];
  const columns = after === undefined ? 2 : 4;
  const all = [...head, ...rows.map((row) => row.slice(0, columns))];
  const widths = Array.from({ length: columns }, (_, i) =>
    Math.max(...all.map((row) => row[i]?.length ?? 0)),
  );
  const lines = all.map((row) =>
    widths
      .map((width, i) => (row[i] ?? '').padEnd(width))
      .join('  ')
      .trimEnd(),
  );
  return [...lines, ...notes].join('\n');
}

/** The configuration that all results share, as lines; and in words what differs between the two files. */
export function formatConfiguration(
  before: readonly BenchmarkSamples[],
  after: readonly BenchmarkSamples[],
): { readonly lines: readonly string[]; readonly warnings: readonly string[] } {
  const keys = new Set([...before, ...after].flatMap(({ configuration }) => [...configuration.keys()]));
  const lines: string[] = [];
  const warnings: string[] = [];
  for (const key of keys) {
    const values = (samples: readonly BenchmarkSamples[]) => [
      ...new Set(samples.map(({ configuration }) => configuration.get(key) ?? '')),
    ];
    const all = [...new Set([...values(before), ...values(after)])];
    if (all.length === 1) lines.push(`${key}: ${all[0]}`);
    else if (before.length > 0 && after.length > 0 && key !== 'pkg') {
      warnings.push(`${key} differs: ${values(before).join(', ')} before, ${values(after).join(', ')} after`);
    }
  }
  return { lines, warnings };
}

function samples(before: number, after: number): string {
  return before === after ? String(before) : `${before}+${after}`;
}

function percent(change: number): string {
  if (!Number.isFinite(change)) return '?';
  return `${change >= 0 ? '+' : ''}${(change * 100).toFixed(2)}%`;
}

/** Four digits and a prefix; times in seconds, so that `85.1 ns/op` is `85.10n`. */
function scaled(value: number, unit: string): string {
  const number = unit === 'ns/op' ? value * 1e-9 : value;
  if (number === 0) return '0';
  const size = Math.abs(number);
  const [factor, prefix] = PREFIXES.find(([least]) => size >= least * 0.999_95) ?? PREFIXES.at(-1)!;
  const digits = number / factor;
  return `${digits.toFixed(Math.max(0, 3 - Math.floor(Math.log10(Math.abs(digits) * 1.000_05))))}${prefix}`;
}
