/** Benchmarks: the door of this room. */
export { type BenchOptions, type BenchResult, benchXdp } from './bench-xdp.ts';
export { type BenchmarkLine, benchmarkName, formatHeader, formatLine } from './go-format.ts';
