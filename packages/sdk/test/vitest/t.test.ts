/** t: what it opens, closes and runs. How failures look is in matchers.test.ts and reporter.test.ts. */
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { XdpError, type XdpObject } from 'xdptest';
import { afterAll, describe, expect, type T, test } from 'xdptest/vitest';

const actions = fileURLToPath(new URL('../bpf/actions.bpf.o', import.meta.url));

describe('TestT names', () => {
  test('a test, as Go does', ({ t }) => {
    expect(t.name).toBe('TestT_names/a_test,_as_Go_does');
    const names: string[] = [];
    t.run('same', (t) => void names.push(t.name));
    t.run('same', (t) => void names.push(t.name));
    t.run('with a space', (t) => t.run('deeper', (t) => void names.push(t.name)));
    expect(names.map((name) => name.slice(t.name.length))).toEqual([
      '/same',
      '/same#01',
      '/with_a_space/deeper',
    ]);
  });
});

describe('what a test opened is closed after it, last first', () => {
  const order: string[] = [];
  let object: XdpObject | undefined;
  let directory = '';

  test('opens', async ({ t }) => {
    t.cleanup(async () => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      order.push('first');
    });
    object = t.load(actions);
    t.cleanup(() => order.push(`object ${object!.isClosed ? 'closed' : 'open'}`));
    directory = t.tempDir();
    expect(statSync(directory).isDirectory()).toBe(true);
    t.run('a subtest has cleanups of its own', (t) => t.cleanup(() => order.push('subtest')));
    expect(order).toEqual(['subtest']);
  });

  afterAll(() => {
    expect(order).toEqual(['subtest', 'object open', 'first']);
    expect(object?.isClosed).toBe(true);
    expect(existsSync(directory)).toBe(false);
  });
});

describe('objects', () => {
  const seen = new Set<XdpObject>();
  test.for([1, 2])('are fresh for each test (%d)', (_, { t }) => {
    const object = t.load(actions);
    expect(seen.has(object)).toBe(false);
    seen.add(object);
    expect(t.load(actions)).not.toBe(object);
  });

  let shared: XdpObject | undefined;
  test.for([1, 2])('of a file are one, put back for each test (%d)', (_, { t }) => {
    const object = t.load(actions, { scope: 'file' });
    shared ??= object;
    expect(object).toBe(shared);
    expect(object.variables.runs).toBe(0n);
    object.variables.runs = 5n;
    // Within one test it is left alone.
    expect(t.load(actions, { scope: 'file' }).variables.runs).toBe(5n);
    expect(t.load(actions, { scope: 'file', name: 'another' })).not.toBe(shared);
  });

  test('an unknown scope is refused', ({ t }) => {
    expect(() => t.load(actions, { scope: 'worker' as 'file' })).toThrow(XdpError);
  });
});

describe('subtests', () => {
  test('synchronous ones answer at once, asynchronous ones later', async ({ t }) => {
    const sync: boolean = t.run('sync', () => {});
    const async: Promise<boolean> = t.run('async', async () => {});
    expect(sync).toBe(true);
    expect(await async).toBe(true);
  });

  const order: string[] = [];
  test('parallel ones wait for their parent, and then run beside each other', async ({ t }) => {
    for (const name of ['a', 'b']) {
      await t.run(name, async (t: T) => {
        order.push(`${name} begins`);
        await t.parallel();
        order.push(`${name} goes on`);
        await new Promise((resolve) => setTimeout(resolve, 5));
        order.push(`${name} ends`);
      });
    }
    order.push('the parent ends');
    t.cleanup(() => order.push('cleaning up'));
  });

  test('one that nobody awaits is waited for', ({ t }) => {
    void t.run('slow', async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      order.push('slow ends');
    });
  });

  afterAll(() => {
    expect(order).toEqual([
      'a begins',
      'b begins',
      'the parent ends',
      'a goes on',
      'b goes on',
      'a ends',
      'b ends',
      'cleaning up',
      'slow ends',
    ]);
  });

  test('a skipped one is no failure', ({ t }) => {
    expect(t.run('skipped', (t) => t.skip('for a reason'))).toBe(true);
    expect(t.failed).toBe(false);
  });
});

describe('fixtures of other people', () => {
  const extended = test.extend<{ object: XdpObject }>({
    object: async ({ t }, use) => {
      await use(t.load(actions));
    },
  });
  let last: XdpObject | undefined;
  extended('can use t', ({ object, t }) => {
    last = object;
    expect(object.isClosed).toBe(false);
    expect(t.name).toBe('fixtures_of_other_people/can_use_t');
  });
  test('and theirs are closed too', () => {
    expect(last?.isClosed).toBe(true);
  });
});

test('wrong arguments are refused', ({ t }) => {
  expect(() => t.skip('')).toThrow('expected the reason in words');
  expect(() => t.cleanup(5 as never)).toThrow('expected a function');
  expect(() => t.run('x', 5 as never)).toThrow('expected a function');
});
