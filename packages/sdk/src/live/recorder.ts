/** Everything that went over some interfaces, as a capture file for people to look at. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { CaptureWriter } from '../packet/index.ts';
import type { NetworkInterface } from './interface.ts';
import { framesOf, type Port } from './port.ts';

/** Small: a recorder is for tests of some frames, on many interfaces. */
const RECORDER_RING_BYTES = 1 << 20;

/**
 * Records interfaces and writes what they carried to a pcapng file, with an interface description for each.
 * Frames that an XDP program drops, sends back or redirects never reach the stack, and so are in no capture there:
 * record the other end of the pair to see them.
 */
export class Recorder {
  readonly #ports: Port[] = [];

  constructor(interfaces: readonly NetworkInterface[] = []) {
    this.add(...interfaces);
  }

  add(...interfaces: readonly NetworkInterface[]): this {
    for (const one of interfaces) {
      this.#ports.push(one.open({ direction: 'both', ringBytes: RECORDER_RING_BYTES }));
    }
    return this;
  }

  /** How many frames there are. */
  get frames(): number {
    return this.#ports.reduce((sum, port) => sum + port.counters.captured, 0);
  }

  /** The capture file, in the order of time. */
  pcapng(comment?: string): Uint8Array {
    const lost = this.#ports.map((port) => port.counters.lost);
    const writer = new CaptureWriter({
      interfaces: this.#ports.map((port, i) => ({
        name: port.name,
        comments: lost[i] === 0 ? [] : [`${lost[i]} frames were lost before they could be recorded`],
      })),
      ...(comment === undefined ? {} : { comment }),
    });
    const frames = this.#ports.flatMap((port, interfaceId) =>
      framesOf(port.all()).map((frame) => ({ frame, interfaceId })),
    );
    frames.sort((a, b) => Number(a.frame.timestampNs - b.frame.timestampNs));
    for (const { frame, interfaceId } of frames) {
      const { timestampNs, originalLength } = frame;
      writer.add(frame.bytes, { timestampNs, originalLength, interfaceId });
    }
    return writer.take();
  }

  /**
   * Does `work`; if it fails, writes everything to `path` and says so in the error's message.
   */
  async guard<T>(path: string, work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, this.pcapng(message));
      if (error instanceof Error) error.message += `\n\n  all frames: ${path}`;
      throw error;
    }
  }

  close(): void {
    for (const port of this.#ports) port.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
