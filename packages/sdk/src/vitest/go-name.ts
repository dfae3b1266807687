/** Names as Go writes them: no spaces, and a path of tests and subtests by slashes. */

/** Go's rewrite of a subtest's name: spaces become underscores, what cannot be printed is escaped. */
export function goName(name: string): string {
  if (!/[^\x21-\x7e]/.test(name)) return name;
  return name
    .replaceAll(/\s/g, '_')
    .replaceAll(/\p{C}/gu, (c) => `\\x${c.codePointAt(0)!.toString(16).padStart(2, '0')}`);
}

interface NamedTask {
  readonly name: string;
  readonly suite?: NamedTask | undefined;
}

/** The name of a test with those of the suites around it. */
export function goNameOfTask(task: NamedTask): string {
  const parts: string[] = [];
  for (let one: NamedTask | undefined = task; one !== undefined; one = one.suite)
    parts.unshift(goName(one.name));
  return parts.join('/');
}

/** Tells apart equal names among the subtests of one test, as Go does: `x`, `x#01`, `x#02`. */
export class UniqueNames {
  readonly #seen = new Map<string, number>();

  take(name: string): string {
    const wanted = name === '' ? '#00' : name;
    const seen = this.#seen.get(wanted) ?? 0;
    this.#seen.set(wanted, seen + 1);
    return seen === 0 ? wanted : this.take(`${name}#${String(seen).padStart(2, '0')}`);
  }
}
