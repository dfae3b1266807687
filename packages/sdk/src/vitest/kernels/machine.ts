/** The machine that a kernel's tests run in: booted when the first worker needs it, and shared by all of them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { deserialize } from 'node:v8';
import { XdpError } from '../../errors.ts';
import type { KernelRun } from '../../vm/index.ts';
import {
  encodeFrame,
  type Frame,
  type FrameKind,
  frameReader,
  type Hello,
  type WrittenFile,
} from './frames.ts';
import type { KernelMachineOptions } from './options.ts';

const agent = fileURLToPath(new URL('./guest-agent.js', import.meta.url));

/** A guest that says nothing for so long hangs; the agent says something every five seconds. */
const SILENCE_MS = 120_000;
/** How long the last workers may take to go. */
const LAST_WORKERS_MS = 60_000;
/** vitest knows when a test takes too long; the machine itself runs as long as it is needed. */
const LIFETIME_MS = 24 * 3600_000;

export interface MachineSettings extends KernelMachineOptions {
  readonly kernel: string;
  readonly cwd: string;
  /** What workers write into this directory of the guest is written to the host's, too. */
  readonly captures: string | undefined;
}

/** Who hears what the guest says of a worker. */
export interface Listener {
  frame(frame: Frame): void;
  /** The machine is gone, and the worker with it. Gives whether anybody was there to be told. */
  lost(error: Error): boolean;
}

export class KernelMachine {
  readonly #settings: MachineSettings;
  readonly #onHello: (hello: Hello) => void;
  readonly #listeners = new Map<number, Listener>();
  #workers = 0;
  #run: Promise<void> | undefined;
  #abort = new AbortController();
  #port: Duplex | undefined;
  /** What the host said before the guest was up. */
  #waiting: Buffer[] = [];
  #silence: NodeJS.Timeout | undefined;
  #onIdle = (): void => {};
  #closing = false;
  /** Why the host gave the machine up, if it did. */
  #givenUp: string | undefined;
  /** What became of the machine; until {@link close}, nobody tries again. */
  #failure: Error | undefined;
  /** Whether vitest knows of it. */
  #told = false;

  constructor(settings: MachineSettings, onHello: (hello: Hello) => void) {
    this.#settings = settings;
    this.#onHello = onHello;
  }

  /** Gives a number to a worker, and boots the machine if there is none. */
  attach(listener: Listener): number {
    const worker = ++this.#workers;
    this.#listeners.set(worker, listener);
    const failure = this.#failure;
    if (failure === undefined) this.#run ??= this.#boot();
    // Later: whoever attaches is not listening yet.
    else setImmediate(() => this.#tell(listener, failure));
    return worker;
  }

  detach(worker: number): void {
    this.#listeners.delete(worker);
    if (this.#listeners.size === 0) this.#onIdle();
  }

  send(kind: FrameKind, worker: number, payload?: Uint8Array): void {
    const frame = encodeFrame(kind, worker, payload);
    if (this.#port === undefined) this.#waiting.push(frame);
    else this.#port.write(frame);
  }

  /**
   * Ends the machine in good order. The next worker gets a new one.
   * @returns what is wrong with the machine, if there was no worker left through which vitest could be told
   */
  async close(): Promise<Error | undefined> {
    // vitest reports the end of a run before it has ended the last workers.
    if (this.#run !== undefined && this.#listeners.size > 0) {
      const idle = new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
      await Promise.race([idle, delay(LAST_WORKERS_MS, undefined, { ref: false })]);
    }
    this.#closing = true;
    if (this.#port !== undefined) this.send('bye', 0);
    // Still booting, and nobody waits for it any more.
    else this.#abort.abort();
    await this.#run;
    this.#closing = false;
    const failure = this.#told ? undefined : this.#failure;
    this.#failure = undefined;
    this.#told = false;
    return failure;
  }

  async #boot(): Promise<void> {
    this.#abort = new AbortController();
    this.#givenUp = undefined;
    this.#waiting = [];
    const { captures, ...settings } = this.#settings;
    let failure: Error | undefined;
    try {
      // Loaded here: most who use the plugin never need it.
      const { runInKernel } = await import('../../vm/index.ts');
      const run = await runInKernel({
        ...settings,
        command: [process.execPath, agent, ...(captures === undefined ? [] : [captures])],
        timeoutMs: LIFETIME_MS,
        channel: (port) => this.#connect(port),
        // A kernel that panics ends by itself, and tells more when it is left alone.
        onTrouble: (trouble, line) => {
          if (trouble === 'lockup') this.#giveUp(`lockup: ${line}`);
        },
        signal: this.#abort.signal,
      });
      failure = this.#judge(run);
    } catch (error) {
      failure = error as Error;
    }
    clearTimeout(this.#silence);
    this.#run = undefined;
    this.#port = undefined;
    this.#failure = failure;
    const listeners = [...this.#listeners.values()];
    this.#listeners.clear();
    for (const listener of listeners) this.#tell(listener, failure ?? new Error('the machine was ended'));
    this.#onIdle();
  }

  #tell(listener: Listener, failure: Error): void {
    if (listener.lost(failure)) this.#told = true;
  }

  #judge(run: KernelRun): Error | undefined {
    const { kernel } = this.#settings;
    if (this.#givenUp === undefined && this.#closing && ['passed', 'interrupted'].includes(run.outcome)) {
      return undefined;
    }
    const name = run.release === undefined ? kernel : `${kernel} (${run.release})`;
    const what = this.#givenUp ?? `${run.outcome}: ${run.reason || 'the machine ended before its tests'}`;
    const tail = [run.stderr.trimEnd(), ...run.consoleTail.slice(-20)].filter((line) => line !== '');
    return new XdpError(
      run.outcome === 'unavailable' || run.outcome === 'not booted'
        ? 'XDP_KERNEL_UNAVAILABLE'
        : 'XDP_MACHINE_FAILED',
      [`${name}: ${what}`, ...tail.map((line) => `  | ${line}`)].join('\n'),
    );
  }

  #giveUp(why: string): void {
    this.#givenUp ??= why;
    this.#abort.abort();
  }

  /** Called once more when the first machine did not come up and another one is tried. */
  #connect(port: Duplex): void {
    const read = frameReader((frame) => this.#receive(port, frame));
    port.on('data', read);
  }

  #receive(port: Duplex, frame: Frame): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(
      () => this.#giveUp(`the guest hangs: nothing was heard of it for ${SILENCE_MS / 1000} s`),
      SILENCE_MS,
    );
    if (frame.kind === 'hello') {
      this.#onHello(deserialize(frame.payload) as Hello);
      this.#port = port;
      for (const waiting of this.#waiting.splice(0)) port.write(waiting);
    } else if (frame.kind === 'file') {
      const { path, bytes } = deserialize(frame.payload) as WrittenFile;
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, bytes);
    } else this.#listeners.get(frame.worker)?.frame(frame);
  }
}
