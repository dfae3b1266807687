/** Benchmarks: the door of this room. */
export { type BenchOptions, type BenchResult, benchXdp } from './bench-xdp.ts';
export {
  type CompareOptions,
  type Comparison,
  type ComparisonTable,
  compareBenchmarks,
  type SampleSummary,
} from './benchstat.ts';
export { formatComparison, formatConfiguration } from './benchstat-format.ts';
export { type BenchmarkSamples, parseBenchmarks } from './benchstat-parse.ts';
export { type BenchmarkLine, benchmarkName, formatHeader, formatLine } from './go-format.ts';
