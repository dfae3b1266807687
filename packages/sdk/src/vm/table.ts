/** The table at the end of a run, and what there is to say below it. */
import type { KernelRun } from './run.ts';

function columns(rows: readonly (readonly string[])[], alignRight: readonly boolean[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) =>
        alignRight[column] === true ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}

/** What a result is called in the table. */
function resultOf(run: KernelRun): string {
  if (run.outcome === 'passed') return run.attempts > 1 ? 'passed at the second try' : 'passed';
  return run.outcome === 'failed' ? run.reason : run.outcome.toUpperCase();
}

/** Skipped tests by reason, the most frequent first. */
export function skipReasons(run: KernelRun): [reason: string, count: number][] {
  const byReason = new Map<string, number>();
  for (const test of run.tests) {
    if (test.status !== 'skipped') continue;
    const reason = test.reason === '' ? 'no reason given' : test.reason;
    byReason.set(reason, (byReason.get(reason) ?? 0) + 1);
  }
  return [...byReason].sort((a, b) => b[1] - a[1]);
}

function details(run: KernelRun): string[] {
  const lines: string[] = [];
  const skipped = skipReasons(run);
  if (skipped.length > 0) {
    lines.push(`skipped on ${run.kernel}:`);
    for (const [reason, count] of skipped) lines.push(`  ${String(count).padStart(4)}  ${reason}`);
  }
  if (run.firstTry !== '') lines.push(`first try on ${run.kernel}: ${run.firstTry}`);
  if (!['passed', 'failed'].includes(run.outcome)) lines.push(`${run.kernel}: ${run.outcome}: ${run.reason}`);
  if (run.warnings.length > 0)
    lines.push(`${run.kernel}: the kernel warned:`, ...run.warnings.map((w) => `  ${w}`));
  const isKernelTrouble = !['passed', 'failed', 'unavailable', 'interrupted'].includes(run.outcome);
  if (isKernelTrouble && run.consoleTail.length > 0) {
    lines.push(`${run.kernel}: the console:`, ...run.consoleTail.map((line) => `  | ${line}`));
  }
  return lines.length === 0 ? [] : ['', ...lines];
}

/** The whole text, ending with a newline. */
export function formatTable(runs: readonly KernelRun[]): string {
  const head = ['kernel', 'release', 'passed', 'failed', 'skipped', 'seconds', 'result'];
  const number = (value: number | undefined): string => (value === undefined ? '-' : String(value));
  const rows = runs.map((run) => [
    run.kernel,
    run.release ?? '-',
    number(run.counts?.passed),
    number(run.counts?.failed),
    number(run.counts?.skipped),
    run.seconds.toFixed(1),
    resultOf(run),
  ]);
  const table = columns([head, ...rows], [false, false, true, true, true, true, false]);
  return `${[...table, ...runs.flatMap(details)].join('\n')}\n`;
}
