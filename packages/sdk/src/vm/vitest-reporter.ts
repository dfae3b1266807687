/**
 * A reporter for vitest that writes the tests of a run, with the reasons of skips, to the file in XDPTEST_JSON; without
 * that variable it does nothing. vitest's own JSON and JUnit reporters leave the reasons out.
 *
 *     vitest run --reporter=default --reporter=xdptest/vm/vitest-reporter
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { TestRecord } from './records.ts';

/** The parts of vitest's reported tasks that are read here; vitest is no dependency of this room. */
interface ReportedTest {
  readonly fullName: string;
  result(): {
    readonly state: string;
    readonly note?: string | undefined;
    readonly errors?: readonly { readonly message?: string; readonly stack?: string }[] | undefined;
  };
  diagnostic(): { readonly duration: number } | undefined;
}

interface ReportedModule {
  readonly project: { readonly name: string };
  readonly moduleId: string;
  readonly children: { allTests(): Iterable<ReportedTest> };
  state(): string;
  errors(): readonly { readonly message?: string; readonly stack?: string }[];
}

function text(errors: readonly { readonly message?: string; readonly stack?: string }[] | undefined): string {
  return (errors ?? []).map((error) => error.stack ?? error.message ?? '').join('\n');
}

function recordsOfModule(module: ReportedModule): TestRecord[] {
  const file = module.moduleId;
  // The same test in another project, such as that of another kernel, is another test.
  const project = module.project.name === '' ? '' : `[${module.project.name}] `;
  const records = [...module.children.allTests()].map((test): TestRecord => {
    const result = test.result();
    const status = result.state === 'passed' || result.state === 'failed' ? result.state : 'skipped';
    return {
      file,
      name: `${project}${test.fullName}`,
      status,
      reason: status === 'skipped' ? (result.note ?? '') : '',
      message: status === 'failed' ? text(result.errors) : '',
      durationMs: test.diagnostic()?.duration ?? 0,
    };
  });
  // A file that does not load, or whose hooks fail, has no failed test to show for it.
  if (module.state() === 'failed' && !records.some((record) => record.status === 'failed')) {
    records.push({
      file,
      name: `${project}the file itself`,
      status: 'failed',
      reason: '',
      message: text(module.errors()),
      durationMs: 0,
    });
  }
  return records;
}

/** vitest makes an instance of a reporter's default export. */
export default class XdptestReporter {
  onTestRunEnd(modules: readonly ReportedModule[]): void {
    const path = process.env.XDPTEST_JSON;
    if (path === undefined || path === '') return;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify({ tests: modules.flatMap(recordsOfModule) }));
  }
}
