/** Reads results of benchmarks in Go's text format (golang.org/design/14313-benchmark-format). */

/** The values of one benchmark, of all lines that have its name. */
export interface BenchmarkSamples {
  /** Without `Benchmark`, with the number of CPUs: `Balance-2`. */
  readonly name: string;
  /** What the file says above it: `pkg`, `cpu` and the like. */
  readonly configuration: ReadonlyMap<string, string>;
  /** By unit, in the order of the line. */
  readonly values: ReadonlyMap<string, readonly number[]>;
}

const configurationLine = /^([a-z][^\sA-Z:]*):(?:\s+(.*))?$/;
const benchmarkLine = /^Benchmark(\S+)\s+(\d+)\s+(.+)$/;

/**
 * The benchmarks of a file. Lines that are neither results nor configuration are left out, as the format wants it: the
 * whole output of a test run is such a file.
 */
export function parseBenchmarks(text: string): BenchmarkSamples[] {
  const configuration = new Map<string, string>();
  const found = new Map<
    string,
    { name: string; configuration: ReadonlyMap<string, string>; values: Map<string, number[]> }
  >();
  for (const line of text.split(/\r?\n/)) {
    const setting = configurationLine.exec(line);
    if (setting !== null) {
      configuration.set(setting[1]!, setting[2]?.trim() ?? '');
      continue;
    }
    const result = benchmarkLine.exec(line);
    if (result === null) continue;
    const measured = parseValues(result[3]!);
    if (measured === undefined) continue;
    const name = result[1]!;
    const key = `${configuration.get('pkg') ?? ''} ${name}`;
    let samples = found.get(key);
    if (samples === undefined) {
      samples = { name, configuration: new Map(configuration), values: new Map() };
      found.set(key, samples);
    }
    for (const [unit, value] of measured) {
      const list = samples.values.get(unit);
      if (list === undefined) samples.values.set(unit, [value]);
      else list.push(value);
    }
  }
  return [...found.values()];
}

/** Pairs of a value and its unit; undefined for anything else, which is some other line that begins alike. */
function parseValues(text: string): [string, number][] | undefined {
  const words = text.trim().split(/\s+/);
  if (words.length % 2 !== 0) return undefined;
  const pairs: [string, number][] = [];
  for (let i = 0; i < words.length; i += 2) {
    const value = Number(words[i]);
    if (!Number.isFinite(value)) return undefined;
    pairs.push([words[i + 1]!, value]);
  }
  return pairs;
}
