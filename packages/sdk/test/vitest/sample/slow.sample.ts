/** Takes longer than vitest collects news before it sends them. */
import { setTimeout } from 'node:timers/promises';
import { describe, test } from 'vitest';

describe('TestFirst', () => {
  for (const name of ['a', 'b', 'c']) test(name, () => {});
});

test('TestSecond', () => setTimeout(200));
