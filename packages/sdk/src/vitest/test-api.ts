/** `test`, `it` and `describe` as of vitest, with `t` and with `requires`. */
import {
  type SuiteAPI,
  type TestAPI,
  type TestContext,
  TestRunner,
  describe as vitestDescribe,
  test as vitestTest,
} from 'vitest';
import { currentSettings, offerT } from './fixtures.ts';
import { unprivilegedReason } from './privileges.ts';
import { answer, checkRequirements, type Requirement } from './requirements.ts';
import type { T } from './t.ts';

declare module 'vitest' {
  interface TestOptions {
    /**
     * What the test (or each test of the suite) needs of the kernel. Where that is missing it is skipped, with the reason
     * and the first kernel that has it; where the kernel is new enough to have it, a missing feature is a failure.
     */
    requires?: readonly Requirement[];
  }
}

type Options = { readonly requires?: unknown } & Readonly<Record<string, unknown>>;
type Handler = (...args: never[]) => unknown;

/** The requirements of the suites around the one that is being collected. */
function inherited(): readonly Requirement[] {
  const options = TestRunner.getCurrentSuite().options as Options | undefined;
  return (options?.requires ?? []) as readonly Requirement[];
}

/** What stands in the way of a test, if anything does. */
function obstacle(requires: readonly Requirement[]): ReturnType<typeof answer> {
  if (currentSettings().onUnprivileged === 'skip') {
    const reason = unprivilegedReason();
    // Without privileges nothing can be probed either.
    if (reason !== undefined) return { is: 'missing', reason };
  }
  if (requires.length === 0) return { is: 'met' };
  try {
    return answer(requires);
  } catch (error) {
    // Nothing can be probed here: each test that needs it says so, and the others of the file run.
    return { is: 'broken', reason: (error as Error).message };
  }
}

/** Collects one test. vitest drops options that it does not know, so `requires` is looked at here. */
function collect(this: object, name: string, first?: Options | Handler, second?: Handler | number): void {
  const own = typeof first === 'object' && first !== null ? first : undefined;
  const requires = own?.requires === undefined ? [] : checkRequirements(`test ${name}`, own.requires);
  const found = obstacle([...inherited(), ...requires]);
  const suite = TestRunner.getCurrentSuite();
  const add = suite.test.fn as unknown as (this: object, ...args: unknown[]) => void;
  if (found.is === 'broken') {
    add.call(this, name, own ?? {}, () => {
      throw new Error(found.reason);
    });
    return;
  }
  add.call(this, name, first, second);
  const task = suite.tasks.at(-1);
  if (task?.type !== 'test') return;
  offerT(task.context);
  if (found.is === 'missing') {
    // Skipped before it starts: no hook of its suite runs for it. This is where vitest keeps the reason of a skip.
    task.mode = 'skip';
    task.result = { state: 'skip', note: found.reason } as { state: 'skip' };
  }
}

/** Objects with `requires` in the arguments of a suite get those of the suites around it added. */
function withInherited(argument: unknown): unknown {
  if (argument === null || typeof argument !== 'object' || Array.isArray(argument)) return argument;
  const { requires } = argument as Options;
  if (requires === undefined) return argument;
  return { ...argument, requires: [...inherited(), ...checkRequirements('describe', requires)] };
}

/** `describe` and everything that hangs on it: `describe.only`, `describe.each(...)`. */
function inheriting<F extends object>(target: F): F {
  return new Proxy(target, {
    apply(fn, self, args) {
      const result: unknown = Reflect.apply(fn as unknown as Handler, self, args.map(withInherited));
      return typeof result === 'function' ? inheriting(result) : result;
    },
    get(fn, key) {
      const value: unknown = Reflect.get(fn, key);
      return typeof value === 'function' ? inheriting(value) : value;
    },
  });
}

/** The configuration of a run imports this file too, to get the plugin: there are no tests to collect there. */
const inWorker = '__vitest_worker__' in globalThis;

function withT(): TestAPI<{ t: T }> {
  const api = TestRunner.createTaskCollector(collect) as unknown as TestAPI<{ t: T }>;
  // To fixtures of other people `t` is a fixture like any other; their tests pay for it.
  const forFixtures = api.extend({
    t: async ({ task }: TestContext, use: (t: T) => Promise<void>) => {
      await use((task.context as TestContext & { t: T }).t);
    },
  } as never);
  return Object.assign(api, { extend: forFixtures.extend.bind(forFixtures) }) as TestAPI<{ t: T }>;
}

/** vitest's `test`, with the fixture `t` and the option `requires`. */
export const test: TestAPI<{ t: T }> = inWorker ? withT() : (vitestTest as TestAPI<{ t: T }>);
/** The same as {@link test}. */
export const it: TestAPI<{ t: T }> = test;
/** vitest's `describe`, with the option `requires` for all tests in it. */
export const describe: SuiteAPI<{ t: T }> = inheriting(vitestDescribe) as SuiteAPI<{ t: T }>;
