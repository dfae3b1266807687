/** What a test tells the reporter beside its result: in the meta of its task, as plain data. */
import type {} from 'vitest';
import { type CallSite, formatSite } from './call-site.ts';

/** One `t.log`. */
export interface LogRecord {
  readonly site: CallSite | undefined;
  readonly text: string;
}

/** One `t.run`. */
export interface SubtestRecord {
  /** The whole name: `TestX/sub`. */
  readonly name: string;
  state: 'running' | 'passed' | 'failed' | 'skipped';
  durationMs: number;
  readonly logs: LogRecord[];
  /** Whether it waited for the end of its parent: `t.parallel()`. */
  parallel: boolean;
  /** Why it was skipped. */
  note?: string;
  /** What it failed with, in words. */
  failures: { readonly message: string; readonly site: CallSite | undefined }[];
  readonly subtests: SubtestRecord[];
}

/** What the task of a test carries in `meta.xdptest`. */
export interface TestRecord {
  readonly logs: LogRecord[];
  readonly subtests: SubtestRecord[];
  /** Lines of benchmarks, as go test prints them, and those on the machine that belong above them. */
  benchmarks?: string[];
  machine?: readonly string[];
}

declare module 'vitest' {
  interface TaskMeta {
    xdptest?: TestRecord;
  }
}

/** A log as Go prints it: the place, and further lines indented. */
export function formatLog({ site, text }: LogRecord): string {
  const lines = text.split('\n');
  const first = site === undefined ? lines[0] : `${formatSite(site)}: ${lines[0]}`;
  return [first, ...lines.slice(1).map((line) => `    ${line}`)].join('\n');
}

/** What is added to the message of a failure. The reporter, which prints logs by itself, takes it off again. */
export function logsForMessage(logs: readonly LogRecord[], of = ''): string {
  if (logs.length === 0) return '';
  return `\n\nlogs${of}:\n${logs.map((log) => `  ${formatLog(log).replaceAll('\n', '\n  ')}`).join('\n')}`;
}
