/** Numbers as people read them, for charts and reports. */
import type { Distribution } from './distribution.ts';

/** A whole number with thousands separators. */
export function formatCount(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A share in per cent, with three significant digits at most four decimals. */
export function formatPercent(share: number): string {
  const percent = share * 100;
  if (!Number.isFinite(percent)) return percent > 0 ? '∞ %' : '-∞ %';
  const size = Math.abs(percent);
  const decimals = size >= 100 || size === 0 ? 0 : Math.min(4, Math.max(0, 2 - Math.floor(Math.log10(size))));
  return `${percent.toFixed(decimals)} %`;
}

/** A statistic with a few decimals. */
export function formatDecimals(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '-∞';
  return value.toFixed(decimals);
}

/** A probability: plain where that is readable, in powers of ten where it is not. */
export function formatProbability(p: number): string {
  if (p === 0) return '0';
  return p >= 0.001 ? p.toFixed(3) : p.toExponential(2);
}

/** The verdict in words, for a reader who does not know what a p-value is. */
export function verdictOf(distribution: Distribution<unknown>): string {
  const p = formatProbability(distribution.pValue);
  if (distribution.pValue >= 0.01) return `within what chance does (p = ${p})`;
  if (distribution.pValue >= 0.001) return `farther from expected than chance often goes (p = ${p})`;
  return `not as expected: chance does not explain it (p = ${p})`;
}
