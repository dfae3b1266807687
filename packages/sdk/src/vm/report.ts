/** One report over all kernels, as JUnit and as JSON. A test's name carries its kernel. */
import { escapeXml } from './junit.ts';
import { countRecords, type TestRecord } from './records.ts';
import type { KernelRun } from './run.ts';

/** The kernel itself as a test: it fails when no test can tell what went wrong. */
const KERNEL_TEST = 'the run on this kernel';

/**
 * The tests of a run, and one for the run itself if the tests alone would tell a better story than it was, or if there
 * are none: a kernel that panicked is in the report, and so is a command that reports no tests.
 */
function recordsOf(run: KernelRun): TestRecord[] {
  const isTold = run.outcome === 'passed' || (run.outcome === 'failed' && countRecords(run.tests).failed > 0);
  if (isTold && run.tests.length > 0) return [...run.tests];
  const own: TestRecord = {
    file: run.kernel,
    name: KERNEL_TEST,
    status: run.outcome === 'passed' ? 'passed' : 'failed',
    reason: '',
    message: run.outcome === 'passed' ? '' : [`${run.outcome}: ${run.reason}`, ...run.consoleTail].join('\n'),
    durationMs: run.seconds * 1000,
  };
  return [...run.tests, own];
}

/** A file's path as the project sees it: absolute ones differ from machine to machine. */
function relativeFile(file: string, cwd: string): string {
  return file.startsWith(`${cwd}/`) ? file.slice(cwd.length + 1) : file;
}

function testCase(run: KernelRun, test: TestRecord, cwd: string): string {
  const file = relativeFile(test.file, cwd);
  const attributes =
    `classname="${escapeXml(`${run.kernel}.${file}`)}" name="${escapeXml(`[${run.kernel}] ${test.name}`)}" ` +
    `file="${escapeXml(file)}" time="${(test.durationMs / 1000).toFixed(3)}"`;
  if (test.status === 'passed') return `    <testcase ${attributes}/>`;
  const inner =
    test.status === 'skipped'
      ? `<skipped message="${escapeXml(test.reason)}"/>`
      : `<failure message="${escapeXml(test.message.split('\n')[0] ?? '')}">${escapeXml(test.message)}</failure>`;
  return `    <testcase ${attributes}>\n      ${inner}\n    </testcase>`;
}

/** JUnit: one suite for each kernel. */
export function formatJunit(runs: readonly KernelRun[], cwd = process.cwd()): string {
  const suites = runs.map((run) => {
    const records = recordsOf(run);
    const { failed, skipped } = countRecords(records);
    const counts = `tests="${records.length}" failures="${failed}" errors="0" skipped="${skipped}"`;
    const properties = [
      ['kernel.release', run.release ?? ''],
      ['outcome', run.outcome],
      ['how', run.how],
      ['attempts', String(run.attempts)],
    ].map(([name, value]) => `      <property name="${name}" value="${escapeXml(value ?? '')}"/>`);
    return [
      `  <testsuite name="${escapeXml(run.kernel)}" ${counts} time="${run.seconds.toFixed(3)}">`,
      '    <properties>',
      ...properties,
      '    </properties>',
      ...records.map((record) => testCase(run, record, cwd)),
      '  </testsuite>',
    ].join('\n');
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('\n')}\n</testsuites>\n`;
}

/** JSON: the runs as they are, less their output. */
export function formatJson(runs: readonly KernelRun[], cwd = process.cwd()): string {
  const kernels = runs.map((run) => ({
    kernel: run.kernel,
    release: run.release ?? null,
    outcome: run.outcome,
    reason: run.reason,
    exitCode: run.exitCode ?? null,
    how: run.how,
    seconds: Number(run.seconds.toFixed(3)),
    attempts: run.attempts,
    firstTry: run.firstTry,
    ...(run.counts ?? { passed: null, failed: null, skipped: null }),
    warnings: run.warnings,
    console: run.outcome === 'passed' ? [] : run.consoleTail,
    tests: recordsOf(run).map((test) => ({
      ...test,
      name: `[${run.kernel}] ${test.name}`,
      file: relativeFile(test.file, cwd),
      kernel: run.kernel,
    })),
  }));
  return `${JSON.stringify({ version: 1, kernels }, null, 2)}\n`;
}
