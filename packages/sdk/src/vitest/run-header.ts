/** The lines on the kernel that a run begins with, and on what was skipped that it ends with. */
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import { formatHeader } from '../bench/index.ts';
import { kernelSummary } from './kernel-summary.ts';

/** Reporters that write for people; beside any other one, standard output is a file for machines. */
const forPeople = new Set(['default', 'verbose', 'tree', 'dot', 'agent', 'minimal', 'hanging-process']);

export class RunHeader implements Reporter {
  readonly #quiet: boolean;
  /** Whether the reporter in the manner of Go is there, which shows benchmarks by itself. */
  readonly #others: boolean;
  #vitest: Vitest | undefined;
  #measured = false;

  private constructor(quiet: boolean, others: boolean) {
    this.#quiet = quiet;
    this.#others = others;
  }

  /** Adds it after the reporters of the configuration, once for all projects. */
  static addTo(vitest: Vitest): void {
    const { reporters } = vitest.config;
    if (reporters.some((reporter) => reporter instanceof RunHeader)) return;
    const names = reporters.map((reporter) => (Array.isArray(reporter) ? String(reporter[0]) : ''));
    // Objects of reporters are taken for people's; ours prints the kernel by itself.
    const quiet = names.some((name) => name !== '' && !forPeople.has(name));
    reporters.push(
      new RunHeader(
        quiet,
        names.some((name) => /\bvitest\/reporter(?:\.js)?$/.test(name)),
      ),
    );
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
    for (const line of kernelSummary().lines) this.#say(line);
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
    const { logger } = this.#vitest!;
    if (this.#quiet) logger.error(` ${line}`);
    else logger.log(` ${line}`);
  }
}
