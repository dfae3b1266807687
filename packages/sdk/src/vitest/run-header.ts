/** The line on the kernel that a run begins with. */
import type { Reporter, Vitest } from 'vitest/node';
import { kernelSummary } from './kernel-summary.ts';

/** Reporters that write for people; beside any other one, standard output is a file for machines. */
const forPeople = new Set(['default', 'verbose', 'tree', 'dot', 'agent', 'minimal', 'hanging-process']);

export class RunHeader implements Reporter {
  readonly #quiet: boolean;

  private constructor(quiet: boolean) {
    this.#quiet = quiet;
  }

  /** Adds it after the reporters of the configuration, once for all projects. */
  static addTo(vitest: Vitest): void {
    const { reporters } = vitest.config;
    if (reporters.some((reporter) => reporter instanceof RunHeader)) return;
    const names = reporters.map((reporter) => (Array.isArray(reporter) ? String(reporter[0]) : ''));
    // Objects of reporters are taken for people's; ours prints the kernel by itself.
    reporters.push(new RunHeader(names.some((name) => name !== '' && !forPeople.has(name))));
  }

  onInit({ logger }: Vitest): void {
    for (const line of kernelSummary().lines) {
      if (this.#quiet) logger.error(` ${line}`);
      else logger.log(` ${line}`);
    }
  }
}
