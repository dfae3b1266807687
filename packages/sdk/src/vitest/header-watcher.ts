/**
 * Reruns tests when a header changes. vitest knows which tests import `lb.bpf.c`, but nothing of the headers in it: a
 * change of one is passed on as a change of every program that includes it.
 */
import type { Vitest } from 'vitest/node';

export class HeaderWatcher {
  /** The programs that include a header. */
  readonly #programs = new Map<string, Set<string>>();
  readonly #watched = new Set<string>();
  #vitest: Vitest | undefined;

  /** Starts watching; without it (a run that is not watched) headers are not even remembered. */
  watch(vitest: Vitest): void {
    // One plugin may serve several projects.
    if (this.#vitest !== undefined) return;
    this.#vitest = vitest;
    const { watcher } = vitest.vite;
    const pass = (file: string): void => {
      for (const program of this.#programs.get(file) ?? []) watcher.emit('change', program);
    };
    watcher.on('change', pass);
    watcher.on('add', pass);
    watcher.on('unlink', pass);
  }

  /** Sets the headers of a program. */
  set(program: string, headers: readonly string[]): void {
    for (const programs of this.#programs.values()) programs.delete(program);
    this.add(program, headers);
  }

  /** Adds headers of a program that does not compile: those that it had may still be the ones to repair. */
  add(program: string, headers: readonly string[]): void {
    if (this.#vitest === undefined) return;
    for (const header of headers) {
      const programs = this.#programs.get(header);
      if (programs === undefined) this.#programs.set(header, new Set([program]));
      else programs.add(program);
    }
    const fresh = [program, ...headers].filter((file) => !this.#watched.has(file));
    if (fresh.length === 0) return;
    for (const file of fresh) this.#watched.add(file);
    this.#vitest.vite.watcher.add(fresh);
  }
}
