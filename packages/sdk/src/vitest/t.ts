/** `t`: a test in the manner of Go's testing package. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { format } from 'node:util';
import { describeValue, invalidArgument } from '../errors.ts';
import type { ObjectSchema, UntypedSchema, XdpObject, XdpObjectFile } from '../object/index.ts';
import { callSite } from './call-site.ts';
import { Cleanups } from './cleanups.ts';
import { failuresOfSubtest, SubtestSkipped, TestFailure } from './failure.ts';
import { goName, UniqueNames } from './go-name.ts';
import { type FileObjects, type LoadSource, loadObject, type TestLoadOptions } from './loading.ts';
import type { SubtestRecord, TestRecord } from './records.ts';

/** What a `t` needs of the test that it belongs to. */
export interface TestHost {
  /** The whole name of the test; that of a subtest is in its record. */
  readonly test: string;
  readonly objects: FileObjects;
  /** Ends the test or subtest as skipped; throws. */
  skip(reason: string): never;
  /** Waits, in a subtest, for the end of its parent; undefined in the test itself. */
  readonly pause?: () => Promise<void>;
}

let finish: (t: T) => unknown[] | Promise<unknown[]>;

/** Ends a test: waits for its subtests, cleans up, and gives what it failed with, subtests among them. */
export function finishTest(t: T): unknown[] | Promise<unknown[]> {
  return finish(t);
}

/**
 * A test, or a subtest of `run`, as Go's `*testing.T`.
 *
 * Everything that it opens is closed by itself when the test is over, last first.
 */
export class T {
  readonly #host: TestHost;
  readonly #record: TestRecord | SubtestRecord;
  #names: UniqueNames | undefined;
  readonly #cleanups = new Cleanups();
  readonly #errors: unknown[] = [];
  /** Subtests that are not over: those that nobody awaited, and those in parallel. */
  readonly #pending = new Set<Promise<unknown>>();
  /** Lets the parallel subtests go on. */
  readonly #resume: (() => void)[] = [];

  static {
    finish = (t) => t.#finish();
  }

  /** @internal Made by the fixture `t` and by `run`. */
  constructor(host: TestHost, record: TestRecord | SubtestRecord) {
    this.#host = host;
    this.#record = record;
  }

  /** The whole name, as Go writes it: `TestLoadBalancer/32_endpoints`. */
  get name(): string {
    return 'name' in this.#record ? this.#record.name : this.#host.test;
  }

  /** Whether it has failed so far, by `error` or by a subtest that is over. */
  get failed(): boolean {
    return this.#errors.length > 0;
  }

  /** Notes something, formatted as by console.log. It is shown with file and line if the test fails, or with `verbose`. */
  log(...values: unknown[]): void {
    this.#record.logs.push({ site: callSite(), text: format(...values) });
  }

  /** Fails the test and goes on. */
  error(...values: unknown[]): void {
    const failure = new TestFailure(format(...values));
    Error.captureStackTrace(failure, this.error);
    this.#errors.push(failure);
  }

  /** Fails the test and ends it. */
  fatal(...values: unknown[]): never {
    const failure = new TestFailure(format(...values));
    Error.captureStackTrace(failure, this.fatal);
    throw failure;
  }

  /** Ends the test as skipped; the reason is shown. */
  skip(reason: string): never {
    if (typeof reason !== 'string' || reason === '') {
      throw invalidArgument(`t.skip: expected the reason in words, got ${describeValue(reason)}`);
    }
    return this.#host.skip(reason);
  }

  /** Calls `fn` when the test is over, after what was registered later. It may be asynchronous. */
  cleanup(fn: () => unknown): void {
    if (typeof fn !== 'function') {
      throw invalidArgument(`t.cleanup: expected a function, got ${describeValue(fn)}`);
    }
    this.#cleanups.add(fn);
  }

  /** A new empty directory, removed when the test is over. */
  tempDir(): string {
    const path = mkdtempSync(join(tmpdir(), 'xdptest-'));
    this.#cleanups.add(() => rmSync(path, { recursive: true, force: true }));
    return path;
  }

  /**
   * Loads an object, fresh for this test, and closes it when the test is over. With `scope: 'file'` the tests of a file
   * share one, and each test finds its maps and variables as they were after the load.
   * @throws XdpError as `XdpObject.load`
   */
  load<S extends ObjectSchema>(source: XdpObjectFile<S>, options?: TestLoadOptions<S>): XdpObject<S>;
  load<S extends ObjectSchema = UntypedSchema>(
    source: string | URL | Uint8Array,
    options?: TestLoadOptions<S>,
  ): XdpObject<S>;
  load(source: LoadSource, { scope = 'test', ...options }: TestLoadOptions = {}): XdpObject {
    if (scope === 'file') return this.#host.objects.load(source, options, this.#host);
    if (scope !== 'test') {
      throw invalidArgument(`t.load: scope must be 'test' or 'file', got ${describeValue(scope)}`);
    }
    const object = loadObject(source, options);
    this.#cleanups.add(() => object.close());
    return object;
  }

  /**
   * Lets a subtest run beside the other parallel ones, after the function of its parent is over: `await t.parallel()`.
   * In a test itself it does nothing: tests run beside each other when they are declared by `test.concurrent`.
   */
  async parallel(): Promise<void> {
    await this.#host.pause?.();
  }

  /**
   * Runs a subtest and says whether it passed. When it fails this test goes on, and fails at its end. A parallel subtest
   * counts as passed here; an asynchronous one that nobody awaits is waited for at the end of this test.
   */
  run(name: string, fn: (t: T) => Promise<void>): Promise<boolean>;
  run(name: string, fn: (t: T) => void): boolean;
  run(name: string, fn: (t: T) => unknown): boolean | Promise<boolean> {
    if (typeof fn !== 'function')
      throw invalidArgument(`t.run: expected a function, got ${describeValue(fn)}`);
    const record: SubtestRecord = {
      name: `${this.name}/${this.#unique(goName(String(name)))}`,
      state: 'running',
      durationMs: 0,
      parallel: false,
      logs: [],
      failures: [],
      subtests: [],
    };
    this.#record.subtests.push(record);
    let paused: (() => void) | undefined;
    const t = new T(
      {
        test: this.#host.test,
        objects: this.#host.objects,
        skip: (reason) => {
          throw new SubtestSkipped(reason);
        },
        pause: () => {
          record.parallel = true;
          paused?.();
          return new Promise((resume) => {
            this.#resume.push(resume);
          });
        },
      },
      record,
    );
    const started = performance.now();
    const end = (errors: readonly unknown[]): boolean =>
      this.#end(record, errors, performance.now() - started);
    let running: unknown;
    try {
      running = fn(t);
    } catch (error) {
      t.#errors.push(error);
    }
    if (!(running instanceof Promise)) {
      const finished = t.#finish();
      if (!(finished instanceof Promise)) return end(finished);
      // Only cleaning up takes longer: what is known by now is the answer.
      this.#keep(finished.then(end));
      return !t.failed;
    }
    const over = running
      .catch((error: unknown) => t.#errors.push(error))
      .then(() => t.#finish())
      .then(end);
    this.#keep(over);
    if (record.parallel) return Promise.resolve(true);
    const parked = new Promise<boolean>((resolve) => {
      paused = () => resolve(true);
    });
    return Promise.race([over, parked]);
  }

  #unique(name: string): string {
    this.#names ??= new UniqueNames();
    return this.#names.take(name);
  }

  /** Books the end of a subtest; true if it passed. */
  #end(record: SubtestRecord, errors: readonly unknown[], durationMs: number): boolean {
    record.durationMs = durationMs;
    const skipped = errors.find((error) => error instanceof SubtestSkipped);
    const failed = errors.filter((error) => error !== skipped);
    if (skipped !== undefined) record.note = skipped.reason;
    record.state = failed.length > 0 ? 'failed' : skipped === undefined ? 'passed' : 'skipped';
    this.#errors.push(...failuresOfSubtest(failed, record, this.#host.test));
    return failed.length === 0;
  }

  #keep(work: Promise<unknown>): void {
    this.#pending.add(work);
    void work.finally(() => this.#pending.delete(work));
  }

  #finish(): unknown[] | Promise<unknown[]> {
    if (this.#pending.size > 0) return this.#finishLater();
    const errors = this.#cleanups.run();
    if (errors instanceof Promise) return errors.then((late) => [...this.#errors, ...late]);
    return this.#errors.concat(errors);
  }

  async #finishLater(): Promise<unknown[]> {
    // A subtest that was resumed may start others.
    while (this.#pending.size > 0) {
      for (const resume of this.#resume.splice(0)) resume();
      await Promise.race(this.#pending);
    }
    return this.#finish();
  }
}
