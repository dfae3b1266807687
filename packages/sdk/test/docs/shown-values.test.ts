import { expect, test } from 'vitest';
import { checkShownValues, literalPrefix } from './shown-values.ts';

test.each([
  ["'XDP_TX'", "'XDP_TX'"],
  ['0.0056: what chance allows', '0.0056'],
  ['2: they had to', '2'],
  ['3 of 6', '3'],
  ["{ kind: 'xdp', value: 3n }", "{ kind: 'xdp', value: 3n }"],
  ["[1, -2, 'a b'], in this order", "[1, -2, 'a b']"],
  ['undefined', 'undefined'],
  ['the first of them', undefined],
  ['a view, not a copy', undefined],
])('the literal in "%s" is %s', (comment, literal) => {
  expect(literalPrefix(comment)).toBe(literal);
});

test('a statement with a literal behind it becomes a check, others stay', () => {
  expect(checkShownValues("a.b; // 'x'\nconst c = 1; // 2\nf(); // all of them\n", './shown.mjs')).toBe(
    "import { $shown } from './shown.mjs'; $shown(a.b, 'x', undefined); // 'x'\nconst c = 1; // 2\nf(); // all of them\n",
  );
});

test('a number is compared to the decimals that are shown', () => {
  expect(checkShownValues('d.cv; // 0.0056', './shown.mjs')).toContain('$shown(d.cv, 0.0056, 4)');
});
