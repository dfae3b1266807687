/** Things to do when a test is over, last first, all of them even if some throw. */
export class Cleanups {
  readonly #actions: (() => unknown)[] = [];

  add(action: () => unknown): void {
    this.#actions.push(action);
  }

  /** Does them all and gives what they threw; a promise only if one of them is asynchronous. */
  run(): unknown[] | Promise<unknown[]> {
    const errors: unknown[] = [];
    for (let action = this.#actions.pop(); action !== undefined; action = this.#actions.pop()) {
      try {
        const result = action();
        if (result instanceof Promise) return this.#rest(result, errors);
      } catch (error) {
        errors.push(error);
      }
    }
    return errors;
  }

  async #rest(first: Promise<unknown>, errors: unknown[]): Promise<unknown[]> {
    try {
      await first;
    } catch (error) {
      errors.push(error);
    }
    return [...errors, ...(await this.run())];
  }
}
