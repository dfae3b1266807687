/** Statistics of distributions: the door of this room, published as `xdptest/stats`. Pure: works on any system. */
export { type BarChartOptions, barChart, summaryLine } from './bar-chart.ts';
export { type Churn, type ChurnOptions, churn } from './churn.ts';
export type { Counts, NumberLike } from './counts.ts';
export { type Category, type Distribution, type DistributionOptions, distribution } from './distribution.ts';
export { chiSquareUpperTail } from './gamma.ts';
export { type MannWhitney, mannWhitneyU } from './mann-whitney.ts';
export { type ReportHtmlOptions, reportHtml } from './report-html.ts';
export { type ReportSvgOptions, reportSvg } from './report-svg.ts';
export { geometricMean, median, percentile } from './sample.ts';
