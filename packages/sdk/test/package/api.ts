/** The public API as text: every export of every entry of the package, as its declaration says it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const printer = ts.createPrinter({ removeComments: true });

/** Members that exist for other files of the package: they are no promise to anybody. */
function isInternal(node: ts.Node): boolean {
  return (
    ts.getJSDocTags(node).some(({ tagName }) => tagName.text === 'internal') ||
    (ts.isPropertyDeclaration(node) && ts.isPrivateIdentifier(node.name))
  );
}

function withoutInternals(declaration: ts.Declaration): ts.Node {
  if (!ts.isClassDeclaration(declaration)) return declaration;
  const members = declaration.members.filter((member) => !isInternal(member));
  const { modifiers, name, typeParameters, heritageClauses } = declaration;
  return ts.factory.updateClassDeclaration(
    declaration,
    modifiers,
    name,
    typeParameters,
    heritageClauses,
    members,
  );
}

function textOf(declaration: ts.Declaration): string {
  const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  return printer
    .printNode(
      ts.EmitHint.Unspecified,
      node === declaration ? withoutInternals(declaration) : node,
      declaration.getSourceFile(),
    )
    .replace(/^export (?:declare )?/, '')
    .replace(/^declare /, '');
}

/** The text of each entry by its name: `.`, `./packet`. */
export function apiOf(packageDirectory: string): Map<string, string> {
  const manifest = JSON.parse(readFileSync(join(packageDirectory, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { types: string }>;
  };
  const entries = Object.entries(manifest.exports).flatMap(([name, target]) =>
    typeof target === 'string' ? [] : [[name, join(packageDirectory, target.types)] as const],
  );
  const program = ts.createProgram(
    entries.map(([, file]) => file),
    {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      allowImportingTsExtensions: true,
      noEmit: true,
      skipLibCheck: true,
    },
  );
  const checker = program.getTypeChecker();
  return new Map(
    entries.map(([name, file]) => {
      const source = program.getSourceFile(file)!;
      const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(source)!);
      const texts = symbols
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map((symbol) => describe(checker, symbol, packageDirectory));
      return [name, `${texts.join('\n\n')}\n`];
    }),
  );
}

function describe(checker: ts.TypeChecker, symbol: ts.Symbol, packageDirectory: string): string {
  const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
  const target = isAlias ? checker.getAliasedSymbol(symbol) : symbol;
  const own = (target.declarations ?? []).filter((declaration) =>
    declaration.getSourceFile().fileName.startsWith(join(packageDirectory, 'dist')),
  );
  // What other packages declare is theirs to describe.
  if (own.length === 0) return `${symbol.name}: re-exported`;
  const text = own.map(textOf).join('\n');
  return symbol.name === target.name || symbol.name === 'default' ? text : `${symbol.name} = ${text}`;
}
