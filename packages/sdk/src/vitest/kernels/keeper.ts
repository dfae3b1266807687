/** Ends the machines when their tests are over, and says what they say of themselves. */
import type { Reporter, Vitest } from 'vitest/node';
import { say } from '../run-header.ts';
import type { KernelPool } from './pool.ts';

export class MachineKeeper implements Reporter {
  readonly #vitest: Vitest;
  readonly #pools = new Set<KernelPool>();
  /** `vitest list` has no reporters, and is to print its list alone. */
  #reports = false;

  private constructor(vitest: Vitest) {
    this.#vitest = vitest;
  }

  /** The one of this run of vitest, which is made when the first project with a machine asks for it. */
  static of(vitest: Vitest): MachineKeeper {
    const { reporters } = vitest.config;
    const known = (reporters as readonly unknown[]).find((reporter) => reporter instanceof MachineKeeper);
    if (known !== undefined) return known;
    const keeper = new MachineKeeper(vitest);
    reporters.push(keeper);
    vitest.onClose(() => keeper.#close());
    return keeper;
  }

  onInit(): void {
    this.#reports = true;
  }

  add(pool: KernelPool): void {
    this.#pools.add(pool);
    pool.onHello(({ lines }) => {
      for (const line of this.#reports ? lines : []) say(this.#vitest, `${pool.name}: ${line}`);
    });
  }

  /** Those who watch keep the machines for the next run. */
  async onTestRunEnd(): Promise<void> {
    if (!this.#vitest.config.watch) await this.#close();
  }

  async #close(): Promise<void> {
    const failures = await Promise.all([...this.#pools].map((pool) => pool.close()));
    for (const failure of failures) {
      if (failure === undefined) continue;
      // All tests are over, and may have passed: the run has not, on a kernel that reports trouble.
      this.#vitest.logger.error(failure.message);
      process.exitCode = 1;
    }
  }
}
