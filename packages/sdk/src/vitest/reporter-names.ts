/** The names of tests and suites as Go writes them, unique in their file. */
import { basename } from 'node:path';
import { goName, UniqueNames } from './go-name.ts';

/** A test, a suite or a file, as vitest reports it. */
export interface NamedEntity {
  readonly id: string;
  readonly type: string;
  readonly name?: string;
  readonly parent?: NamedEntity;
}

export class EntityNames {
  readonly #names = new Map<string, string>();
  readonly #unique = new Map<string, UniqueNames>();

  of(entity: NamedEntity): string {
    let name = this.#names.get(entity.id);
    if (name === undefined) {
      name = this.#make(entity);
      this.#names.set(entity.id, name);
    }
    return name;
  }

  #make({ name = '', parent }: NamedEntity): string {
    const parentId = parent?.id ?? '';
    let unique = this.#unique.get(parentId);
    if (unique === undefined) {
      unique = new UniqueNames();
      this.#unique.set(parentId, unique);
    }
    const own = unique.take(goName(name));
    return parent === undefined || parent.type === 'module' ? own : `${this.of(parent)}/${own}`;
  }
}

/** `file.test.ts:12: ` for the first frame of an error in a file of the tests. */
export function placeOf(
  stacks: readonly { readonly file: string; readonly line: number }[] | undefined,
  testFile: string,
): string {
  const frame = stacks?.find(({ file }) => file === testFile) ?? stacks?.[0];
  return frame === undefined ? '' : `${basename(frame.file)}:${frame.line}: `;
}
