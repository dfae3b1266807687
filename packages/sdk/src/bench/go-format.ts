/** Benchmark results as `go test -bench` prints them, which is what benchstat reads (golang.org/design/14313). */
import { arch, availableParallelism, cpus, platform } from 'node:os';

/** One line: a name, the number of runs, and values with their units. */
export interface BenchmarkLine {
  /** Without `Benchmark` and without the number of CPUs. */
  readonly name: string;
  readonly runs: number;
  /** The first one is `ns/op`. */
  readonly values: readonly { readonly value: number; readonly unit: string }[];
}

/** `BenchmarkLoadBalancer-2   1000000   85.10 ns/op`. */
export function formatLine({ name, runs, values }: BenchmarkLine): string {
  const columns = values.map(({ value, unit }) => `${formatValue(value).padStart(10)} ${unit}`);
  return [
    `Benchmark${benchmarkName(name)}-${availableParallelism()}`,
    String(runs).padStart(9),
    ...columns,
  ].join('\t');
}

/** The lines before the first benchmark: benchstat compares only what agrees in them. */
export function formatHeader(packageName: string): string {
  const goarch = { x64: 'amd64', ia32: '386' }[arch() as string] ?? arch();
  return [
    `goos: ${platform()}`,
    `goarch: ${goarch}`,
    `pkg: ${packageName}`,
    `cpu: ${cpus()[0]?.model ?? 'unknown'}`,
  ].join('\n');
}

/** A name without spaces that starts with a capital, as Go's are: `udp 64 bytes` becomes `Udp_64_bytes`. */
export function benchmarkName(name: string): string {
  const joined = name.trim().replaceAll(/\s+/g, '_');
  return joined.charAt(0).toUpperCase() + joined.slice(1);
}

/** Four significant digits, as Go prints them. */
function formatValue(value: number): string {
  if (value === 0) return '0';
  const digits = Math.max(0, 3 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(digits, 6));
}
