/** `t` for a test: made when it is first asked for, ended with the test. */
import { inject, type RunnerTestCase, type TestContext, TestRunner } from 'vitest';
import { addLogs } from './failure.ts';
import { goNameOfTask } from './go-name.ts';
import { FileObjects } from './loading.ts';
import { formatLog, recordOf, type TestRecord } from './records.ts';
import { defaultSettings, settingsKey, type XdpSettings } from './settings.ts';
import { finishTest, T } from './t.ts';

/** The settings that the plugin gave to this run. */
export function currentSettings(): XdpSettings {
  return (inject(settingsKey) as XdpSettings | undefined) ?? defaultSettings;
}

/**
 * Puts `t` into the context of a test as a property that makes it. A fixture of vitest's would do the same for some 30 us
 * a test, most of them for reading the source of each test's function, whether it uses `t` or not.
 */
export function offerT(context: TestContext): void {
  let t: T | undefined;
  Object.defineProperty(context, 't', {
    configurable: true,
    enumerable: true,
    get() {
      t ??= makeT(context, () => {
        // Another attempt at the same test begins with a new one.
        t = undefined;
      });
      return t;
    },
    // A fixture named t, of somebody who extends the test.
    set(value: unknown) {
      Object.defineProperty(context, 't', { value, writable: true, configurable: true, enumerable: true });
    },
  });
}

function makeT(context: TestContext, over: () => void): T {
  const { task } = context;
  const record: TestRecord = { logs: [], subtests: [] };
  const t = new T(
    {
      get test() {
        return goNameOfTask(task);
      },
      get objects() {
        return fileObjects(task.file);
      },
      skip: (reason) => context.skip(reason),
    },
    record,
  );
  // What context.onTestFinished does without the timer and the stack that it makes for each hook, some 10 us.
  const test = task as RunnerTestCase & { onFinished?: (() => Promise<void>)[] };
  test.onFinished ??= [];
  test.onFinished.push(async () => {
    over();
    await end(task, t, record);
  });
  return t;
}

/** Ends a test: subtests, cleaning up, logs, failures. What it throws fails the test. */
async function end(task: Readonly<RunnerTestCase>, t: T, record: TestRecord): Promise<void> {
  const ended = finishTest(t);
  const errors = ended instanceof Promise ? await inTime(ended, task) : ended;
  if (record.logs.length > 0 || record.subtests.length > 0 || record.benchmarks !== undefined)
    report(task, record);
  if (task.result?.state === 'fail') addLogs(task.result.errors ?? [], record.logs);
  else
    addLogs(
      errors.filter((error) => error instanceof Error),
      record.logs,
    );
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors);
}

/** The time limit of a test is over when its function is: what subtests and cleanups take then is limited here. */
async function inTime<V>(work: Promise<V>, { timeout, name }: Readonly<RunnerTestCase>): Promise<V> {
  if (!Number.isFinite(timeout) || timeout <= 0) return await work;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`${name}: its subtests and cleanups were not over in ${timeout} ms`)),
      timeout,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function report(task: Readonly<RunnerTestCase>, record: TestRecord): void {
  Object.assign(recordOf(task), record);
  if (!currentSettings().verbose) return;
  for (const { name, logs } of withSubtests(goNameOfTask(task), record)) {
    if (logs.length === 0) continue;
    const lines = logs.map((log) => `    ${formatLog(log).replaceAll('\n', '\n        ')}`);
    console.log([name, ...lines].join('\n'));
  }
}

function* withSubtests(
  name: string,
  record: TestRecord,
): Generator<{ name: string; logs: TestRecord['logs'] }> {
  yield { name, logs: record.logs };
  for (const subtest of record.subtests) yield* withSubtests(subtest.name, subtest);
}

const shared = new WeakMap<object, FileObjects>();

/** The objects that the tests of a file share; closed when the file is over. */
function fileObjects(file: RunnerTestCase['file']): FileObjects {
  let objects = shared.get(file);
  if (objects === undefined) {
    const made = new FileObjects();
    objects = made;
    shared.set(file, made);
    TestRunner.getSuiteHooks(file).afterAll.push(() => {
      made.close();
      shared.delete(file);
    });
  }
  return objects;
}
