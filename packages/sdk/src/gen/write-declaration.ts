/** Where a declaration lies, and writing it only where it says something new. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** `lb.bpf.d.c.ts` for `lb.bpf.c`: where TypeScript looks with `allowArbitraryExtensions`. */
export function declarationPath(source: string): string {
  return source.replace(/\.(\w+)$/, '.d.$1.ts');
}

/** Writes a declaration beside its source; false when the same text was there. */
export function writeDeclaration(path: string, text: string): boolean {
  if (readIfThere(path) === text) return false;
  // A compiler or an editor that looks at this moment sees the old text or the new one, never half of it.
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, text);
  renameSync(draft, path);
  return true;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
