/**
 * Docs show values in comments: `result.action; // 'XDP_TX'`. Here such a statement becomes a check of the value, when
 * the comment begins with a literal. Words behind it are words: `d.cv; // 0.0056: what chance allows`.
 */
import ts from 'typescript';

/** The program with a check in place of each statement that shows its value; line numbers stay. */
export function checkShownValues(code: string, module: string): string {
  const file = ts.createSourceFile('block.ts', code, ts.ScriptTarget.ES2022, true);
  const edits: { start: number; end: number; text: string }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isExpressionStatement(node)) {
      const [comment] = ts.getTrailingCommentRanges(code, node.end) ?? [];
      const shown = comment && literalPrefix(code.slice(comment.pos + 2, comment.end).trim());
      if (shown !== undefined) {
        const { expression } = node;
        const text = `$shown(${expression.getText(file)}, ${shown}, ${decimalsOf(shown)});`;
        edits.push({ start: expression.getStart(file), end: node.end, text });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  const text = edits.reduceRight(
    (done, { start, end, text }) => done.slice(0, start) + text + done.slice(end),
    code,
  );
  return edits.length === 0 ? text : `import { $shown } from '${module}'; ${text}`;
}

/** The longest beginning of a comment that is a literal, or undefined. */
export function literalPrefix(comment: string): string | undefined {
  const ends = [comment.length, ...Array.from(comment.matchAll(/[\s:,;]/g), (match) => match.index)];
  return ends
    .sort((a, b) => b - a)
    .map((end) => comment.slice(0, end))
    .find(isLiteral);
}

function isLiteral(text: string): boolean {
  if (text === '') return false;
  const wrapped = ts.createSourceFile('literal.ts', `(${text})`, ts.ScriptTarget.ES2022, true);
  const [statement, ...more] = wrapped.statements;
  if (more.length > 0 || (wrapped as unknown as { parseDiagnostics: unknown[] }).parseDiagnostics.length > 0)
    return false;
  return (
    statement !== undefined &&
    ts.isExpressionStatement(statement) &&
    ts.isParenthesizedExpression(statement.expression) &&
    isLiteralNode(statement.expression.expression)
  );
}

function isLiteralNode(node: ts.Expression): boolean {
  if (ts.isNumericLiteral(node) || ts.isBigIntLiteral(node) || ts.isStringLiteral(node)) return true;
  if (ts.isPrefixUnaryExpression(node))
    return node.operator === ts.SyntaxKind.MinusToken && isLiteralNode(node.operand);
  if (ts.isIdentifier(node)) return node.text === 'undefined';
  if (ts.isArrayLiteralExpression(node)) return node.elements.every(isLiteralNode);
  if (ts.isObjectLiteralExpression(node)) {
    return node.properties.every(
      (property) => ts.isPropertyAssignment(property) && isLiteralNode(property.initializer),
    );
  }
  return [ts.SyntaxKind.TrueKeyword, ts.SyntaxKind.FalseKeyword, ts.SyntaxKind.NullKeyword].includes(
    node.kind,
  );
}

/** How many decimals a number is shown with: it is rounded to them. Undefined for what is exact. */
function decimalsOf(shown: string): number | undefined {
  const decimals = /^-?[\d_]*\.(\d+)$/.exec(shown)?.[1];
  return decimals?.length;
}

/** What a checked program imports. Kept as text: it is written beside the program. */
export const shownModule = `
import assert from 'node:assert';
export function $shown(actual, expected, decimals) {
  if (decimals !== undefined) {
    const off = Math.abs(actual - expected);
    assert.ok(off <= 0.5000001 * 10 ** -decimals, \`the docs show \${expected}, it is \${actual}\`);
  } else assert.deepEqual(actual, expected);
}
`;
