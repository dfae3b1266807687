/**
 * A cache of compiled objects by content: of the source, of every header it includes, of the flags and the compiler.
 *
 * One manifest for each content of a source lists what was compiled of it: the headers with their hashes, and the
 * object. All files are written under another name and renamed, so that several runs can share the directory.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Compiler } from './compiler.ts';

interface Entry {
  readonly object: string;
  readonly headers: readonly (readonly [path: string, hash: string])[];
}

/** An object in the cache. */
export interface CachedObject {
  readonly path: string;
  readonly headers: readonly string[];
}

/** Variants of the headers that are kept for one content of a source. */
const MOST_ENTRIES = 16;
let serial = 0;

export function hashOf(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export class ObjectCache {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
    mkdirSync(directory, { recursive: true });
  }

  /** The key of a source as it is now. */
  keyOf(source: string, compiler: Compiler): string {
    return hashOf(JSON.stringify([source, hashOf(readFileSync(source)), compiler.version, compiler.flags]));
  }

  /** The object of a source, if it was compiled before with the headers as they are now. */
  find(key: string): CachedObject | undefined {
    const hashes = new Map<string, string | undefined>();
    const entry = this.#entries(key).find(({ object, headers }) => {
      if (!existsSync(join(this.#directory, object))) return false;
      return headers.every(([path, hash]) => {
        if (!hashes.has(path)) hashes.set(path, hashOfFile(path));
        return hashes.get(path) === hash;
      });
    });
    if (entry === undefined) return undefined;
    return { path: join(this.#directory, entry.object), headers: entry.headers.map(([path]) => path) };
  }

  /** A path for the compiler to write to: on the same file system, and used by nobody else. */
  temporary(extension: string): string {
    return join(this.#directory, `${process.pid}-${serial++}.${extension}`);
  }

  /**
   * Takes in an object that was compiled since `startedMs`. A header that changed meanwhile is not the one that was
   * compiled, perhaps: then the object is kept, but not found again.
   */
  add(key: string, temporary: string, headers: readonly string[], startedMs: number): CachedObject {
    const object = `${hashOf(readFileSync(temporary))}.bpf.o`;
    const path = join(this.#directory, object);
    renameSync(temporary, path);
    if (headers.every((header) => (mtimeOf(header) ?? Infinity) < startedMs)) {
      const entry: Entry = { object, headers: headers.map((header) => [header, hashOfFile(header) ?? '']) };
      const draft = this.temporary('json');
      writeFileSync(draft, JSON.stringify([entry, ...this.#entries(key)].slice(0, MOST_ENTRIES)));
      renameSync(draft, this.#manifest(key));
    }
    return { path, headers };
  }

  #manifest(key: string): string {
    return join(this.#directory, `${key}.json`);
  }

  #entries(key: string): readonly Entry[] {
    try {
      return JSON.parse(readFileSync(this.#manifest(key), 'utf8')) as Entry[];
    } catch {
      // None yet, or damaged: compile.
      return [];
    }
  }
}

function hashOfFile(path: string): string | undefined {
  try {
    return hashOf(readFileSync(path));
  } catch {
    return undefined;
  }
}

function mtimeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}
