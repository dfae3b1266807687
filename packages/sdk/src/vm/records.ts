/**
 * What a command reports about its tests. It may leave files in the report directory: `report.json` of our own
 * reporter (vitest-reporter.ts), of vitest's or Jest's `json` reporter, or `junit.xml`. Without a file, the closing
 * line of its output must do.
 */
import { parseJunit } from './junit.ts';

export type TestStatus = 'passed' | 'failed' | 'skipped';

export interface TestRecord {
  readonly file: string;
  readonly name: string;
  readonly status: TestStatus;
  /** Why it was skipped, if the report says so. */
  readonly reason: string;
  /** The failure, for a failed one. */
  readonly message: string;
  readonly durationMs: number;
}

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The parts of vitest's and Jest's JSON report that are read here. */
interface JestReport {
  testResults: {
    name?: string;
    status?: string;
    message?: string;
    assertionResults: {
      ancestorTitles?: string[];
      title?: string;
      status?: string;
      duration?: number | null;
      failureMessages?: string[];
    }[];
  }[];
}

/** Our own shape, every field of it optional but the status: whoever writes one by hand may leave out the rest. */
function fromOwn(test: Partial<TestRecord>): TestRecord {
  const { file = '', name = '', status = 'failed', reason = '', message = '', durationMs = 0 } = test;
  return { file, name, status, reason, message, durationMs };
}

function fromJest(report: JestReport): TestRecord[] {
  return report.testResults.flatMap((file) => {
    const records = file.assertionResults.map((test): TestRecord => {
      const skipped = test.status !== 'passed' && test.status !== 'failed';
      return {
        file: file.name ?? '',
        name: [...(test.ancestorTitles ?? []), test.title ?? ''].filter((part) => part !== '').join(' > '),
        status: skipped ? 'skipped' : (test.status as TestStatus),
        reason: '',
        message: (test.failureMessages ?? []).join('\n'),
        durationMs: test.duration ?? 0,
      };
    });
    // A file that does not even load has no tests, and would vanish from the report.
    if (file.status === 'failed' && !records.some((record) => record.status === 'failed')) {
      const name = 'the file itself';
      const message = file.message ?? '';
      records.push({ file: file.name ?? '', name, status: 'failed', reason: '', message, durationMs: 0 });
    }
    return records;
  });
}

/** Reads a JSON report; undefined if it is none of the known shapes. */
export function parseJsonReport(text: string): TestRecord[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if ('tests' in value && Array.isArray(value.tests)) return value.tests.map(fromOwn);
  if ('testResults' in value && Array.isArray(value.testResults)) return fromJest(value as JestReport);
  return undefined;
}

/** The tests in the files that a command left, by name of file; undefined if none can be read. */
export function recordsFromFiles(files: ReadonlyMap<string, Uint8Array>): TestRecord[] | undefined {
  const read = (
    type: string,
    parse: (text: string) => TestRecord[] | undefined,
  ): TestRecord[] | undefined => {
    const found = [...files]
      .filter(([name]) => name.endsWith(type))
      .map(([, bytes]) => parse(Buffer.from(bytes).toString()))
      .filter((records) => records !== undefined);
    return found.length === 0 ? undefined : found.flat();
  };
  // JSON first: the two may tell of the same tests, and JSON knows more.
  return read('.json', parseJsonReport) ?? read('.xml', parseJunit);
}

export function countRecords(records: readonly TestRecord[]): TestCounts {
  const count = (status: TestStatus): number => records.filter((record) => record.status === status).length;
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape that starts a terminal's colour is one
const colour = /\u001b\[[\d;]*m/g;

/** Counts from the last closing line in an output, of the runners that we know; undefined if there is none. */
export function countsFromOutput(output: string): TestCounts | undefined {
  const text = output.replace(colour, '');
  const last = (pattern: RegExp): RegExpMatchArray | undefined => [...text.matchAll(pattern)].at(-1);
  const plain = last(/^(?:\w+: )?(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm);
  if (plain !== undefined) {
    return { passed: Number(plain[1]), failed: Number(plain[2]), skipped: Number(plain[3] ?? 0) };
  }
  const vitest = last(/^\s*Tests\s+(.*\(\d+\))\s*$/gm)?.[1];
  if (vitest !== undefined) {
    const count = (word: string): number => Number(new RegExp(`(\\d+) ${word}`).exec(vitest)?.[1] ?? 0);
    return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') + count('todo') };
  }
  const node = (word: string): number | undefined => {
    const match = last(new RegExp(`^(?:# |ℹ )${word} (\\d+)$`, 'gm'));
    return match === undefined ? undefined : Number(match[1]);
  };
  const [passed, failed] = [node('pass'), node('fail')];
  if (passed === undefined || failed === undefined) return undefined;
  return { passed, failed, skipped: (node('skipped') ?? 0) + (node('todo') ?? 0) };
}
