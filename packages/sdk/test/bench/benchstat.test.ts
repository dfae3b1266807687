import { expect, test } from 'vitest';
import {
  compareBenchmarks,
  formatComparison,
  formatConfiguration,
  parseBenchmarks,
} from '#dist/bench/index.js';

const lines = (name: string, values: readonly number[], more = '') =>
  values.map((value) => `Benchmark${name}-2\t1000000\t${value} ns/op${more}`).join('\n');
const header = 'goos: linux\ngoarch: amd64\npkg: lb.bpf.o\ncpu: a CPU\n';

const before = parseBenchmarks(
  `${header}${lines('Balance', [85, 86, 84, 85, 87, 85, 85, 86, 84, 85])}\n${lines('Parse', [20, 21, 19, 20, 20, 22, 20])}`,
);
const after = parseBenchmarks(
  `${header}${lines('Balance', [61, 62, 60, 61, 61, 63, 61, 60, 61, 62])}\n${lines('Parse', [20, 20, 21, 19, 20, 21, 20])}`,
);

test('reads the output of a whole test run, and leaves out what is no result', () => {
  const [one, ...others] = parseBenchmarks(
    [
      '=== RUN   BenchmarkBalance',
      'pkg: lb',
      'BenchmarkBalance-2   100   12.5 ns/op   3 allocs/op',
      'BenchmarkBalance-2   100   13.5 ns/op   3 allocs/op',
      'BenchmarkBroken-2   100   fast ns/op',
      'BenchmarkSplit',
      'PASS',
      'ok  \tlb\t1.2s',
    ].join('\r\n'),
  );
  expect(others).toEqual([]);
  expect(one?.name).toBe('Balance-2');
  expect([...one!.values]).toEqual([
    ['ns/op', [12.5, 13.5]],
    ['allocs/op', [3, 3]],
  ]);
  expect(one?.configuration.get('pkg')).toBe('lb');
});

test('the same name in two packages is two benchmarks', () => {
  const text = `pkg: a\n${lines('X', [1])}\npkg: b\n${lines('X', [2])}`;
  expect(parseBenchmarks(text).map(({ configuration }) => configuration.get('pkg'))).toEqual(['a', 'b']);
});

test('a change is told from noise', () => {
  const [table] = compareBenchmarks(before, after);
  const [balance, parse] = table!.rows;
  expect(balance).toMatchObject({ name: 'Balance-2', significant: true, before: { n: 10, median: 85 } });
  expect(balance?.change).toBeCloseTo(61 / 85 - 1, 10);
  expect(balance?.pValue).toBeLessThan(0.001);
  expect(parse?.significant).toBe(false);
  // Geometric mean of 61/85 and 20/20.
  expect(table?.geomean?.change).toBeCloseTo(Math.sqrt(61 / 85) - 1, 10);
});

test('the spread is that of the confidence interval of the median, which 5 values do not give', () => {
  // For n = 10 the interval at 95 % is from the 2nd to the 9th value (binomial: 2 * 11/1024 = 2.1 %).
  const ten = parseBenchmarks(lines('X', [1, 10, 10, 10, 10, 10, 10, 10, 12, 99]));
  expect(compareBenchmarks(ten, [])[0]?.rows[0]?.before).toEqual({ n: 10, median: 10, spread: 0.2 });
  // For n = 6 it is from the 1st to the 6th (2/64 = 3.1 %).
  const six = parseBenchmarks(lines('X', [8, 10, 10, 10, 10, 11]));
  expect(compareBenchmarks(six, [])[0]?.rows[0]?.before?.spread).toBeCloseTo(0.2, 10);
  const five = parseBenchmarks(lines('X', [8, 10, 10, 10, 11]));
  expect(compareBenchmarks(five, [])[0]?.rows[0]?.before?.spread).toBeUndefined();
});

test('the table is that of benchstat', () => {
  const [table] = compareBenchmarks(before, after);
  expect(`\n${formatComparison(table!, 'old.txt', 'new.txt')}\n`).toBe(`
           old.txt       new.txt
           sec/op        sec/op       vs base
Balance-2  85.00n ± 1%   61.00n ± 2%   -28.24% (p=0.000 n=10)
Parse-2    20.00n ± 10%  20.00n ± 5%         ~ (p=0.984 n=7)
geomean    41.23n        34.93n        -15.29%
`);
  expect(formatComparison(compareBenchmarks(before, [])[0]!, 'old.txt', undefined)).toContain('85.00n ± 1%');
});

test('benchmarks that one file lacks, and too few values, are shown as such', () => {
  const few = parseBenchmarks(lines('Balance', [61, 60, 62]));
  const [table] = compareBenchmarks(before, few);
  const text = formatComparison(table!, 'old.txt', 'new.txt');
  expect(text).toMatch(/^Balance-2 .* 61\.00n ± ∞/m);
  expect(text).toMatch(/^Parse-2 +20\.00n ± 10%$/m);
  expect(text).toContain('at least 6 values are needed');
});

test('results of different machines come with a warning', () => {
  const other = parseBenchmarks(`${header.replace('a CPU', 'another CPU')}${lines('Balance', [1])}`);
  const { lines: shared, warnings } = formatConfiguration(before, other);
  expect(shared).toEqual(['goos: linux', 'goarch: amd64', 'pkg: lb.bpf.o']);
  expect(warnings).toEqual(['cpu differs: a CPU before, another CPU after']);
});

test('a wrong alpha is refused', () => {
  expect(() => compareBenchmarks(before, after, { alpha: 5 })).toThrow(
    'alpha must be between 0 and 1, got 5',
  );
});
