/** The reporter in the manner of `go test -v`, published as `xdptest/vitest/reporter`. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { UserConsoleLog } from 'vitest';
import type { Reporter, TestCase, TestModule, TestSpecification, TestSuite, Vitest } from 'vitest/node';
import { formatHeader } from '../bench/index.ts';
import { describeValue, expectOptions, invalidArgument } from '../errors.ts';
import { formatSite } from './call-site.ts';
import { type GoOutcome, GoPackage } from './go-output.ts';
import { formatLog, logsForMessage, type SubtestRecord, type TestRecord } from './records.ts';
import { EntityNames, placeOf } from './reporter-names.ts';

/** Options of the reporter: `reporters: [['xdptest/vitest/reporter', { json: true }]]`. */
export interface GoReporterOptions {
  /** Writes the events of `go test -json`, for gotestsum and other tools of Go. */
  readonly json?: boolean;
  /** As `go test -v` (the default); false shows failures and a line for each file alone. */
  readonly verbose?: boolean;
  /** Writes to this file, from the root on, in place of standard output. */
  readonly outputFile?: string;
}

/** What is kept of a file while its tests run. */
interface Running {
  readonly module: TestModule;
  readonly package: GoPackage;
  readonly started: Set<string>;
  readonly ended: Set<string>;
  /** How many children of a suite, or of the file, are told, those before the first that is not over. */
  readonly told: Map<string, number>;
  /** What tests printed. It overtakes the news of their start, and is told when they are over. */
  readonly printed: Map<string, string>;
  /** What is said of the tests that are not over. */
  readonly texts: string[];
  benchmarks: number;
}

const outcomes = {
  passed: 'pass',
  failed: 'fail',
  skipped: 'skip',
  pending: 'skip',
  queued: 'skip',
} as const;

/** vitest makes an instance of the default export of a reporter's module. */
export default class GoReporter implements Reporter {
  readonly #json: boolean;
  readonly #verbose: boolean;
  readonly #outputFile: string | undefined;
  readonly #running = new Map<string, Running>();
  /** Files that have ended in this run. On a slow machine news of their tests comes even later: vitest sends it in parts. */
  readonly #over = new Set<string>();
  readonly #names = new EntityNames();
  #vitest: Vitest | undefined;
  #streams = false;

  constructor(options?: GoReporterOptions) {
    const {
      json = false,
      verbose = true,
      outputFile,
    } = expectOptions<GoReporterOptions>('xdptest/vitest/reporter', options, [
      'json',
      'verbose',
      'outputFile',
    ]);
    if (outputFile !== undefined && (typeof outputFile !== 'string' || outputFile === '')) {
      throw invalidArgument(
        `xdptest/vitest/reporter: outputFile must be a path, got ${describeValue(outputFile)}`,
      );
    }
    this.#json = json;
    // As in Go, the events are those of a verbose run.
    this.#verbose = verbose || json;
    this.#outputFile = outputFile;
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
    if (this.#outputFile === undefined) return;
    const path = resolve(vitest.config.root, this.#outputFile);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '');
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    // As go test does it: one package is shown while it runs, several each when it is over.
    this.#streams = this.#json || specifications.length === 1;
    this.#over.clear();
  }

  onTestModuleStart(module: TestModule): void {
    this.#of(module);
  }

  onTestSuiteReady(suite: TestSuite): void {
    const running = this.#of(suite.module);
    if (running !== undefined) this.#start(running, suite);
  }

  onTestSuiteResult(suite: TestSuite): void {
    const running = this.#of(suite.module);
    if (running !== undefined) this.#suite(running, suite);
  }

  #suite(running: Running, suite: TestSuite): void {
    if (running.ended.has(suite.id)) return;
    const elapsed = [...suite.children.allTests()].reduce(
      (sum, test) => sum + (test.diagnostic()?.duration ?? 0),
      0,
    );
    this.#start(running, suite);
    const name = this.#names.of(suite);
    if (this.#verbose || !suite.ok()) running.package.output(name, running.printed.get(suite.id) ?? '');
    for (const error of suite.errors()) this.#error(running, name, error);
    this.#end(running, suite.id, name, outcomes[suite.state()], elapsed);
  }

  onTestCaseReady(test: TestCase): void {
    const running = this.#of(test.module);
    if (running !== undefined) this.#start(running, test);
  }

  onTestCaseResult(test: TestCase): void {
    const running = this.#of(test.module);
    if (running !== undefined) this.#case(running, test);
  }

  onUserConsoleLog(log: UserConsoleLog): void {
    const entity =
      log.taskId === undefined ? undefined : this.#vitest?.state.getReportedEntityById(log.taskId);
    if (entity === undefined || entity.type === 'module') {
      if (!this.#json) this.#write(log.content);
      return;
    }
    const printed = this.#of(entity.module)?.printed;
    printed?.set(entity.id, (printed.get(entity.id) ?? '') + log.content);
  }

  onTestModuleEnd(module: TestModule): void {
    const running = this.#of(module);
    if (running === undefined) return;
    // Tests in a suite that was skipped as a whole are never announced, others not yet.
    for (const child of module.children) this.#rest(running, child);
    const errors = module.errors();
    for (const error of errors) this.#error(running, undefined, error);
    const { duration, collectDuration, setupDuration } = module.diagnostic();
    const note = errors.length > 0 ? 'setup failed' : module.children.size === 0 ? 'no tests to run' : '';
    running.package.finish(outcomes[module.state()], duration + collectDuration + setupDuration, note);
    this.#running.delete(module.id);
    this.#over.add(module.id);
    if (!this.#streams) this.#write(running.texts.join(''));
  }

  onTestRunEnd(
    _: readonly TestModule[],
    unhandled: readonly { readonly message: string; readonly stack?: string }[],
  ) {
    for (const error of unhandled) {
      const text = `unhandled error: ${error.stack ?? error.message}`;
      if (this.#json) process.stderr.write(`${text}\n`);
      else this.#write(`${text}\nFAIL\n`);
    }
  }

  /**
   * Tells of the siblings before `entity` that are over. vitest sends news in parts and works on several at a time, so that
   * on a slow machine a test is announced before the end of the one before it is.
   */
  #earlier(running: Running, { id, parent }: TestCase | TestSuite): void {
    const siblings = parent.children;
    let told = running.told.get(parent.id) ?? 0;
    for (; told < siblings.size; told++) {
      const sibling = siblings.at(told)!;
      if (sibling.id === id || !isOver(sibling)) break;
      this.#rest(running, sibling);
    }
    running.told.set(parent.id, told);
  }

  /** Tells the end of what is not told yet, in its order. */
  #rest(running: Running, entity: TestCase | TestSuite): void {
    if (entity.type === 'suite') for (const child of entity.children) this.#rest(running, child);
    if (running.ended.has(entity.id)) return;
    if (entity.type === 'test') this.#case(running, entity);
    else this.#suite(running, entity);
  }

  #of(module: TestModule): Running | undefined {
    if (this.#over.has(module.id)) return undefined;
    let running = this.#running.get(module.id);
    if (running === undefined) {
      const texts: string[] = [];
      const write = (text: string): void => {
        if (this.#streams) this.#write(text);
        else texts.push(text);
      };
      const name =
        module.project.name === ''
          ? module.relativeModuleId
          : `${module.project.name}/${module.relativeModuleId}`;
      running = {
        module,
        package: new GoPackage(name, this.#json, write),
        started: new Set(),
        ended: new Set(),
        told: new Map(),
        printed: new Map(),
        texts,
        benchmarks: 0,
      };
      this.#running.set(module.id, running);
      running.package.start();
    }
    return running;
  }

  #start(running: Running, entity: TestCase | TestSuite): void {
    if (running.started.has(entity.id)) return;
    running.started.add(entity.id);
    // A test in a suite that has not begun: vitest says so in that order, go test too.
    if (entity.parent.type === 'suite') this.#start(running, entity.parent);
    this.#earlier(running, entity);
    if (!this.#verbose) return;
    const name = this.#names.of(entity);
    running.package.run(name);
    if (entity.type === 'test' && entity.options.concurrent === true) running.package.pause(name);
  }

  #case(running: Running, test: TestCase): void {
    if (running.ended.has(test.id)) return;
    this.#start(running, test);
    const name = this.#names.of(test);
    const result = test.result();
    const outcome = outcomes[result.state];
    const record = test.meta().xdptest;
    if (this.#verbose || outcome === 'fail') {
      if (this.#verbose && test.options.concurrent === true) running.package.cont(name);
      running.package.output(name, running.printed.get(test.id) ?? '');
      this.#record(running, name, record);
      for (const error of result.errors ?? []) this.#error(running, name, error, record);
      if (result.state === 'skipped')
        running.package.detail(name, result.note ?? 'skipped by its declaration');
    }
    this.#end(running, test.id, name, outcome, test.diagnostic()?.duration ?? 0);
  }

  /** Benchmarks, logs, subtests. */
  #record(running: Running, test: string, record: (TestRecord & Partial<SubtestRecord>) | undefined): void {
    if (record === undefined) return;
    for (const line of record.benchmarks ?? []) {
      if (running.benchmarks++ === 0) running.package.output(test, `${formatHeader(running.package.name)}\n`);
      running.package.output(test, `${line}\n`);
    }
    for (const log of record.logs) running.package.detail(test, formatLog(log));
    for (const subtest of record.subtests) this.#subtest(running, subtest);
  }

  #subtest(running: Running, record: SubtestRecord): void {
    const { name } = record;
    const outcome = record.state === 'running' ? 'fail' : outcomes[record.state];
    if (!this.#verbose && outcome !== 'fail') return;
    if (this.#verbose) {
      running.package.run(name);
      if (record.parallel) {
        running.package.pause(name);
        running.package.cont(name);
      }
    }
    this.#record(running, name, record);
    for (const { site, message } of record.failures) {
      running.package.detail(name, `${site === undefined ? '' : `${formatSite(site)}: `}${message}`);
    }
    if (record.note !== undefined) running.package.detail(name, record.note);
    running.package.end(name, outcome, record.durationMs);
  }

  #error(
    running: Running,
    test: string | undefined,
    error: {
      readonly message: string;
      readonly name?: string;
      readonly diff?: string;
      readonly stacks?: readonly { readonly file: string; readonly line: number }[];
    },
    record?: TestRecord,
  ): void {
    // Failures of subtests were told with them, and the logs that the message ends with before it.
    if (test !== undefined && isOfSubtest(error.message, test, record?.subtests ?? [])) return;
    const logs = logsForMessage(record?.logs ?? []);
    const message = error.message.endsWith(logs)
      ? error.message.slice(0, error.message.length - logs.length)
      : error.message;
    const place = placeOf(error.stacks, running.module.moduleId);
    const diff = error.diff === undefined ? '' : `\n\n${error.diff}`;
    const name = error.name === undefined || error.name === 'TestFailure' ? '' : `${error.name}: `;
    running.package.detail(test, stripVTControlCharacters(`${place}${name}${message}${diff}`));
  }

  #end(running: Running, id: string, name: string, outcome: GoOutcome, elapsedMs: number): void {
    running.ended.add(id);
    if (this.#verbose || outcome === 'fail') running.package.end(name, outcome, elapsedMs);
  }

  #write(text: string): void {
    if (text === '') return;
    if (this.#outputFile === undefined) process.stdout.write(text);
    else appendFileSync(resolve(this.#vitest!.config.root, this.#outputFile), text);
  }
}

function isOfSubtest(message: string, test: string, subtests: readonly SubtestRecord[]): boolean {
  return subtests.some(
    (subtest) =>
      subtest.failures.some((failure) =>
        message.startsWith(`${subtest.name.slice(test.length + 1)}: ${failure.message}`),
      ) || isOfSubtest(message, test, subtest.subtests),
  );
}

function isOver(entity: TestCase | TestSuite): boolean {
  const state = entity.type === 'test' ? entity.result().state : entity.state();
  return state !== 'pending';
}
