/** A pool of vitest whose workers run in a machine with another kernel. */
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import type { PoolOptions, PoolRunnerInitializer, PoolWorker } from 'vitest/node';
import { XdpError } from '../../errors.ts';
import type { Frame, Hello, SpawnRequest } from './frames.ts';
import { KernelMachine, type MachineSettings } from './machine.ts';

/** The parts of vitest's messages that are looked at here. */
interface WorkerMessage {
  readonly type?: string;
  readonly __vitest_worker_response__?: true;
  readonly error?: unknown;
}

/** Last words of a worker that are kept for the error that tells of its end. */
const LAST_WORDS = 2000;

export interface KernelPool extends PoolRunnerInitializer {
  /** By how much timeouts are longer than on the host. */
  readonly patience: number;
  /** Sets who hears what a machine says of itself when it is up. */
  onHello(listener: (hello: Hello) => void): void;
  /** Ends the machine; see {@link KernelMachine.close}. */
  close(): Promise<Error | undefined>;
}

/** Pools by the one of their functions that survives when vitest merges configurations. */
const pools = new WeakMap<PoolRunnerInitializer['createPoolWorker'], KernelPool>();

/** The pool that a project's configuration asks for, if it is one of ours. */
export function kernelPoolOf(pool: unknown): KernelPool | undefined {
  if (typeof pool !== 'object' || pool === null || !('createPoolWorker' in pool)) return undefined;
  return pools.get(pool.createPoolWorker as PoolRunnerInitializer['createPoolWorker']);
}

/** A pool for the machine with these settings, under the name of vitest's project. */
export function createKernelPool(name: string, patience: number, settings: MachineSettings): KernelPool {
  let onHello = (_: Hello): void => {};
  const machine = new KernelMachine(settings, (hello) => onHello(hello));
  const createPoolWorker = (options: PoolOptions): PoolWorker =>
    new GuestWorker(name, settings.kernel, machine, options);
  const pool: KernelPool = {
    name,
    patience,
    createPoolWorker,
    close: () => machine.close(),
    onHello(listener) {
      onHello = listener;
    },
  };
  pools.set(createPoolWorker, pool);
  return pool;
}

/** vitest's end of one worker in the guest. */
class GuestWorker implements PoolWorker {
  readonly name: string;
  readonly #kernel: string;
  readonly #machine: KernelMachine;
  readonly #options: PoolOptions;
  readonly #events = new EventEmitter();
  #number = 0;
  /** What vitest said before the worker was there to hear it. */
  #early: WorkerMessage[] | undefined = [];
  #words = '';
  #end = (): void => {};
  readonly #ended = new Promise<void>((resolve) => {
    this.#end = resolve;
  });

  constructor(name: string, kernel: string, machine: KernelMachine, options: PoolOptions) {
    this.name = name;
    this.#kernel = kernel;
    this.#machine = machine;
    this.#options = options;
  }

  on(event: string, callback: (argument: unknown) => void): void {
    this.#events.on(event, callback);
  }

  off(event: string, callback: (argument: unknown) => void): void {
    this.#events.off(event, callback);
  }

  deserialize(data: unknown): unknown {
    return data;
  }

  async start(): Promise<void> {
    this.#number = this.#machine.attach({
      frame: (frame) => this.#receive(frame),
      lost: (error) => this.#lost(error),
    });
    const { distPath, execArgv, env } = this.#options;
    const request: SpawnRequest = {
      vitest: join(distPath, 'worker.js'),
      execArgv,
      env: { ...env, XDPTEST_KERNEL: this.#kernel },
    };
    this.#machine.send('spawn', this.#number, serialize(request));
  }

  send(message: WorkerMessage): void {
    if (message.type === 'start') {
      // vitest gives a worker a minute to start. A machine may have to boot first, so vitest is told at once that it
      // has started; what comes next waits until the worker says so itself.
      setImmediate(() => this.#answer('started'));
    } else if (this.#early !== undefined) {
      this.#early.push(message);
      return;
    }
    this.#machine.send('message', this.#number, serialize(message));
  }

  async stop(): Promise<void> {
    this.#machine.send('kill', this.#number);
    await this.#ended;
    this.#machine.detach(this.#number);
  }

  #receive({ kind, payload }: Frame): void {
    if (kind === 'message') {
      const message = deserialize(payload) as WorkerMessage;
      if (message.__vitest_worker_response__ === true && message.type === 'started') this.#started(message);
      else this.#events.emit('message', message);
    } else if (kind === 'stdout' || kind === 'stderr') {
      const { outputStream, errorStream } = this.#options.project.vitest.logger;
      (kind === 'stdout' ? outputStream : errorStream).write(payload);
      this.#words = (this.#words + payload.toString()).slice(-LAST_WORDS);
    } else if (kind === 'exit') {
      this.#end();
      // vitest stops to listen for it before it ends a worker.
      if (this.#events.listenerCount('exit') > 0) {
        const words = this.#words === '' ? '' : `:\n${this.#words}`;
        const what = `a worker on ${this.name} ended with ${payload.toString()}${words}`;
        this.#fail(new XdpError('XDP_WORKER_FAILED', what));
      }
    }
  }

  #lost(error: Error): boolean {
    this.#end();
    // The last that vitest waits for, if it has asked the worker to stop.
    this.#answer('stopped');
    return this.#fail(error);
  }

  /** Tells vitest, and gives whether it wants to know: between two files it does not listen. */
  #fail(error: unknown): boolean {
    try {
      return this.#events.emit('error', error);
    } catch {
      return false;
    }
  }

  /** Says to vitest what a worker would. */
  #answer(type: 'started' | 'stopped'): void {
    this.#events.emit('message', { type, __vitest_worker_response__: true });
  }

  #started({ error }: WorkerMessage): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    if (error !== undefined) this.#fail(error);
    else for (const message of early) this.send(message);
  }
}
