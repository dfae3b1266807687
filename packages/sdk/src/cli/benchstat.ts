/** `xdptest benchstat`: compares two files of benchmark results. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import {
  type BenchmarkSamples,
  compareBenchmarks,
  formatComparison,
  formatConfiguration,
  parseBenchmarks,
} from '../bench/index.ts';
import { invalidArgument, XdpError } from '../errors.ts';
import { EXIT } from './exit.ts';
import { print } from './terminal.ts';

const usage = `usage: xdptest benchstat OLD [NEW] [options]

Compares benchmark results in the text format of go test -bench, which xdptest bench, xdpBench and Go's benchmarks write.
Of one file it shows medians and spreads.

  --alpha N   a difference is shown when chance gives one as large with a probability below N (0.05)
  --json      the comparison as JSON

± is the distance of the 95 % confidence interval's farther end from the median. ~ is no significant difference. p is
that of the Mann-Whitney U test. Ten results of each benchmark or more make a good comparison.

Exit code: 0, whatever the figures say; 1 when a file cannot be read or has no results; 2 for a wrong command line.
`;

const options = {
  alpha: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

export async function benchstatCommand(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
  if (values.help === true) {
    process.stdout.write(usage);
    return EXIT.ok;
  }
  const [old, fresh, ...more] = positionals;
  if (old === undefined || more.length > 0) {
    throw invalidArgument('one or two files of results: xdptest benchstat old.txt new.txt');
  }
  const alpha = values.alpha === undefined ? undefined : Number(values.alpha);
  const before = readResults(old);
  const after = fresh === undefined ? [] : readResults(fresh);
  const tables = compareBenchmarks(before, after, alpha === undefined ? {} : { alpha });
  if (values.json === true) {
    print(JSON.stringify(tables, null, 2));
    return EXIT.ok;
  }
  const { lines, warnings } = formatConfiguration(before, after);
  for (const line of lines) print(line);
  for (const warning of warnings) print(`warning: ${warning}`);
  for (const table of tables) {
    print('');
    print(formatComparison(table, basename(old), fresh === undefined ? undefined : basename(fresh)));
  }
  return EXIT.ok;
}

function readResults(path: string): BenchmarkSamples[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new XdpError('XDP_FILE_INVALID', `cannot read ${path}: ${(cause as Error).message}`, { cause });
  }
  const samples = parseBenchmarks(text);
  if (samples.length === 0) {
    throw new XdpError(
      'XDP_FILE_INVALID',
      `${path} has no benchmark results (lines that begin with Benchmark)`,
    );
  }
  return samples;
}
