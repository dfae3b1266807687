/**
 * What `go test -v` prints, as text or as the events of `go test -json`: the schema is that of cmd/test2json, whose
 * readers (gotestsum, IDEs, CI services) take each event by itself.
 */

export type GoAction = 'start' | 'run' | 'pause' | 'cont' | 'output' | 'pass' | 'fail' | 'skip';

/** One event, its members in Go's order. */
export interface GoEvent {
  readonly Time: string;
  readonly Action: GoAction;
  readonly Package: string;
  readonly Test?: string;
  /** Seconds, of the actions that end something. */
  readonly Elapsed?: number;
  readonly Output?: string;
}

/** Where a line belongs and what it means. */
interface Line {
  readonly action: GoAction;
  readonly test: string | undefined;
  readonly elapsedMs?: number;
  readonly text?: string;
}

export type GoOutcome = 'pass' | 'fail' | 'skip';

/** Writes the output of one package, which is a test file. */
export class GoPackage {
  readonly name: string;
  readonly #write: (text: string) => void;
  readonly #json: boolean;

  constructor(name: string, json: boolean, write: (text: string) => void) {
    this.name = name;
    this.#json = json;
    this.#write = write;
  }

  start(): void {
    this.#event({ action: 'start', test: undefined });
  }

  run(test: string): void {
    this.#event({ action: 'run', test });
    this.output(test, `=== RUN   ${test}\n`);
  }

  pause(test: string): void {
    this.output(test, `=== PAUSE ${test}\n`);
    this.#event({ action: 'pause', test });
  }

  cont(test: string): void {
    this.#event({ action: 'cont', test });
    this.output(test, `=== CONT  ${test}\n`);
  }

  /** Text that a test printed, or that is said of it: whole lines. */
  output(test: string | undefined, text: string): void {
    for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? [])
      this.#event({ action: 'output', test, text: line });
  }

  /** A line of the test's own, indented as Go does it, those that follow by four more. */
  detail(test: string | undefined, text: string): void {
    const [first, ...rest] = text.split('\n');
    this.output(
      test,
      `    ${first}\n${rest.map((line) => (line === '' ? '\n' : `        ${line}\n`)).join('')}`,
    );
  }

  end(test: string, outcome: GoOutcome, elapsedMs: number): void {
    this.output(test, `--- ${outcome.toUpperCase()}: ${test} (${(elapsedMs / 1000).toFixed(2)}s)\n`);
    this.#event({ action: outcome, test, elapsedMs });
  }

  /** The lines that end a package; `note` is said behind its time. */
  finish(outcome: GoOutcome, elapsedMs: number, note = ''): void {
    const time = `${(elapsedMs / 1000).toFixed(3)}s`;
    const tail = note === '' ? '' : ` [${note}]`;
    this.output(undefined, outcome === 'fail' ? 'FAIL\n' : 'PASS\n');
    this.output(
      undefined,
      outcome === 'fail' ? `FAIL\t${this.name}\t${time}${tail}\n` : `ok  \t${this.name}\t${time}${tail}\n`,
    );
    this.#event({ action: outcome === 'skip' ? 'pass' : outcome, test: undefined, elapsedMs });
  }

  #event({ action, test, elapsedMs, text }: Line): void {
    if (!this.#json) {
      if (text !== undefined) this.#write(text);
      return;
    }
    const event: GoEvent = {
      Time: new Date().toISOString(),
      Action: action,
      Package: this.name,
      ...(test === undefined ? {} : { Test: test }),
      ...(elapsedMs === undefined ? {} : { Elapsed: Math.round(elapsedMs) / 1000 }),
      ...(text === undefined ? {} : { Output: text }),
    };
    this.#write(`${JSON.stringify(event)}\n`);
  }
}
