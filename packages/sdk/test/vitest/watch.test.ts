/** vitest --watch: what a save of the C file, of its header, and of a mistake leads to. */
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { patience } from '../support/emulation.ts';
import { cleanEnvironment, sample, vitestCommand } from './support/run-vitest.ts';

const suite = (name: string, program: string) => `
import { readFileSync } from 'node:fs';
import { runXdp } from 'xdptest';
import { expect, test } from 'xdptest/vitest';
import program from './${program}';

test('${name}', ({ t }) => {
  const { action } = runXdp(t.load(program).programs.decide, new Uint8Array(64));
  console.log('ran ${name}:', action);
});
`;

/** Within the package, so that xdptest and vitest resolve as they do for the sample. */
function project(): string {
  const parent = fileURLToPath(new URL('../../.xdptest', import.meta.url));
  mkdirSync(parent, { recursive: true });
  const directory = mkdtempSync(join(parent, 'watch-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const name of ['sample.bpf.c', 'sample.h', 'vitest.config.ts'])
    cpSync(join(sample, name), join(directory, name));
  const source = readFileSync(join(sample, 'sample.bpf.c'), 'utf8');
  // Another program, that the changes do not concern.
  writeFileSync(
    join(directory, 'other.bpf.c'),
    source.replace('#include "sample.h"', '#define SAMPLE_VERDICT XDP_DROP'),
  );
  writeFileSync(join(directory, 'one.sample.ts'), suite('one', 'sample.bpf.c'));
  writeFileSync(join(directory, 'two.sample.ts'), suite('two', 'other.bpf.c'));
  return directory;
}

/** A watching vitest: what it prints since the last look. */
class Watching {
  #text = '';
  readonly #child: ReturnType<typeof spawn>;

  constructor(directory: string) {
    const [command, ...args] = vitestCommand(['watch', '--maxWorkers=1'], { root: directory });
    this.#child = spawn(command!, args, { env: { ...cleanEnvironment(), CI: undefined } });
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#text += text;
      });
    }
    onTestFinished(async () => {
      const over = new Promise((resolve) => this.#child.once('exit', resolve));
      this.#child.kill('SIGTERM');
      await over;
    });
  }

  /** Waits until it says so; gives what was printed until then. */
  async until(pattern: RegExp): Promise<string> {
    const deadline = Date.now() + patience(30_000);
    while (!pattern.test(this.#text)) {
      if (Date.now() > deadline) throw new Error(`${pattern} did not come:\n${this.#text}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const text = this.#text;
    this.#text = '';
    return text;
  }
}

test('a save of the C file or of a header reruns the tests that use it, and those alone', {
  timeout: patience(120_000),
}, async () => {
  const directory = project();
  const file = (name: string) => join(directory, name);
  // The last line of what vitest prints then: it does not print all at once.
  const waiting = /press h to show help.*\n/;
  const vitest = new Watching(directory);
  const first = await vitest.until(waiting);
  expect(first).toContain('ran one: XDP_PASS');
  expect(first).toContain('ran two: XDP_DROP');

  const times: number[] = [];
  const saveAndWait = async (name: string, text: string): Promise<string> => {
    const started = performance.now();
    writeFileSync(file(name), text);
    const output = await vitest.until(waiting);
    times.push(performance.now() - started);
    return output;
  };

  const afterHeader = await saveAndWait('sample.h', '#define SAMPLE_VERDICT XDP_TX\n');
  expect(afterHeader).toContain('ran one: XDP_TX');
  expect(afterHeader).not.toContain('ran two');

  const source = readFileSync(file('sample.bpf.c'), 'utf8');
  const afterSource = await saveAndWait(
    'sample.bpf.c',
    source.replace('return verdict;', 'return XDP_ABORTED;'),
  );
  expect(afterSource).toContain('ran one: XDP_ABORTED');
  expect(afterSource).not.toContain('ran two');

  const afterMistake = await saveAndWait(
    'sample.bpf.c',
    source.replace('return verdict;', 'return verdikt;'),
  );
  expect(afterMistake).toMatch(/sample\.bpf\.c:\d+:9: error: use of undeclared identifier 'verdikt'/);
  expect(afterMistake).not.toContain('ran one');

  const afterRepair = await saveAndWait('sample.bpf.c', source);
  expect(afterRepair).toContain('ran one: XDP_TX');

  const afterHeaderMistake = await saveAndWait('sample.h', '#define SAMPLE_VERDICT XDP_NOTHING\n');
  expect(afterHeaderMistake).toContain("use of undeclared identifier 'XDP_NOTHING'");
  expect(await saveAndWait('sample.h', '#define SAMPLE_VERDICT XDP_PASS\n')).toContain('ran one: XDP_PASS');

  console.log(`from save to result: ${times.map((ms) => `${ms.toFixed(0)} ms`).join(', ')}`);
});
