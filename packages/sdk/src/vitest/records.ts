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
  /** Lines of benchmarks, as go test prints them. */
  benchmarks?: string[];
}

declare module 'vitest' {
  interface TaskMeta {
    xdptest?: TestRecord;
  }
}

/** The record of a test; it travels to the reporter once something was put into it. */
export function recordOf(task: { readonly meta: { xdptest?: TestRecord } }): TestRecord {
  task.meta.xdptest ??= { logs: [], subtests: [] };
  return task.meta.xdptest;
}

/** A log as Go prints it: the place, and the text. */
export function formatLog({ site, text }: LogRecord): string {
  return site === undefined ? text : `${formatSite(site)}: ${text}`;
}

/** What is added to the message of a failure. The reporter, which prints logs by itself, takes it off again. */
export function logsForMessage(logs: readonly LogRecord[], of = ''): string {
  if (logs.length === 0) return '';
  return `\n\nlogs${of}:\n${logs.map((log) => `  ${formatLog(log).replaceAll('\n', '\n      ')}`).join('\n')}`;
}
