/** The lines on the kernel that a run begins with, and on what was skipped that it ends with. */
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import { formatHeader } from '../bench/index.ts';
import { kernelSummary } from './kernel-summary.ts';
import { kernelPoolOf } from './kernels/pool.ts';

/** Reporters that write for people; beside any other one, standard output is a file for machines. */
const forPeople = new Set(['default', 'verbose', 'tree', 'dot', 'agent', 'minimal', 'hanging-process']);

/** Prints a line of ours: beside the reporters' where people read them, else on standard error, where it damages nothing. */
export function say({ config, logger }: Vitest, line: string): void {
  const isForPeople = config.reporters.every(
    // Objects of reporters are taken for people's.
    (reporter) => !Array.isArray(reporter) || forPeople.has(String(reporter[0])),
  );
  if (isForPeople) logger.log(` ${line}`);
  else logger.error(` ${line}`);
}

export class RunHeader implements Reporter {
  /** Whether the reporter in the manner of Go is there, which shows benchmarks by itself. */
  readonly #others: boolean;
  #vitest: Vitest | undefined;
  #measured = false;

  private constructor(others: boolean) {
    this.#others = others;
  }

  /** Adds it after the reporters of the configuration, once for all projects. */
  static addTo(vitest: Vitest): void {
    const { reporters } = vitest.config;
    if (reporters.some((reporter) => reporter instanceof RunHeader)) return;
    const others = reporters.some(
      (reporter) => Array.isArray(reporter) && /\bvitest\/reporter(?:\.js)?$/.test(String(reporter[0])),
    );
    reporters.push(new RunHeader(others));
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
    // Where all tests run in machines, this kernel has nothing to do with them.
    const { projects } = vitest;
    const local = projects.filter(({ config }) => kernelPoolOf(config.poolRunner) === undefined);
    if (local.length === 0) return;
    const name = local.length < projects.length ? `${local[0]?.name}: ` : '';
    for (const line of kernelSummary().lines) this.#say(`${name}${line}`);
  }

  /** Benchmarks of a test, where no reporter in the manner of Go shows them. */
  onTestCaseResult(test: TestCase): void {
    const { benchmarks = [] } = test.meta().xdptest ?? {};
    if (benchmarks.length === 0 || this.#others) return;
    if (!this.#measured)
      for (const line of formatHeader(test.module.relativeModuleId).split('\n')) this.#say(line);
    this.#measured = true;
    for (const line of benchmarks) this.#say(line);
  }

  /** vitest folds up a file that was skipped as a whole: its reasons would be seen by nobody. */
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, number>();
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const result = test.result();
        const note = result.state === 'skipped' ? result.note : undefined;
        if (note !== undefined) counts.set(note, (counts.get(note) ?? 0) + 1);
      }
    }
    for (const [note, count] of counts)
      this.#say(`skipped ${count} ${count === 1 ? 'test' : 'tests'}: ${note}`);
  }

  #say(line: string): void {
    say(this.#vitest!, line);
  }
}
