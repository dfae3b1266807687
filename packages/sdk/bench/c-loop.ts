/** Runs the plain C loop (c/c-loop.c) beside the engines, round by round, on the same packets and the same program. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { XdpProgram } from 'xdptest';
import type { PacketBatch } from 'xdptest/packet';
import { native } from '#dist/native.js';
import { programHandle } from '#dist/object/index.js';

export const binaries = fileURLToPath(new URL('../../bin/', import.meta.url));

export class CLoop {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;
  readonly #directory: string;
  readonly #packets: number;

  constructor(program: XdpProgram, batch: PacketBatch) {
    this.#packets = batch.length;
    this.#directory = mkdtempSync(join(tmpdir(), 'xdptest-bench-'));
    const file = join(this.#directory, 'packets');
    const parts = [Uint32Array.of(batch.length), batch.offsets, batch.lengths, batch.bytes];
    writeFileSync(
      file,
      Buffer.concat(parts.map((part) => new Uint8Array(part.buffer, part.byteOffset, part.byteLength))),
    );
    const fd = native().handleNumber(programHandle(program));
    this.#child = spawn(join(binaries, 'c-loop'), [file], {
      stdio: ['pipe', 'pipe', 'inherit', fd],
    }) as ChildProcessByStdio<Writable, Readable, null>;
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** One round; nanoseconds a packet. */
  async round(): Promise<number> {
    this.#child.stdin.write('go\n');
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error('the C loop ended early');
    return Number(value) / this.#packets;
  }

  async close(): Promise<void> {
    const exit = once(this.#child, 'exit');
    this.#child.stdin.end();
    await exit;
    rmSync(this.#directory, { recursive: true });
  }
}
