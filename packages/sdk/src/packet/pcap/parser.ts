/** Reads a capture from chunks as they come: no chunk boundary needs to mean anything. */
import { XdpError } from '../../errors.ts';
import { isPcap, PcapReader } from './pcap-reader.ts';
import { isPcapng, PcapngReader } from './pcapng-reader.ts';
import type { CaptureFormat, CaptureInterface, CaptureRecord } from './record.ts';
import type { BlockReader } from './step.ts';

const MAGIC_BYTES = 4;

export class CaptureParser {
  #reader: BlockReader | undefined;
  /** Chunks that arrived since the last whole block, and how many bytes of the file lie before them. */
  #chunks: Uint8Array[] = [];
  #available = 0;
  #position = 0;
  #needed = MAGIC_BYTES;
  #records = 0;

  get format(): CaptureFormat | undefined {
    return this.#reader?.format;
  }

  get interfaces(): readonly CaptureInterface[] {
    return this.#reader?.interfaces ?? [];
  }

  /** Takes a chunk and gives the packets that are whole by now. Their bytes are views of chunks. */
  *push(chunk: Uint8Array): Generator<CaptureRecord, void, undefined> {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#available += chunk.length;
    // Chunks are put together only once a whole block is there: a large one must not be copied chunk by chunk.
    if (this.#available < this.#needed) return;
    const bytes = concatenate(this.#chunks, this.#available);
    let at = 0;
    this.#reader ??= this.#detect(bytes);
    for (;;) {
      const step = this.#reader.step(bytes.subarray(at), this.#records);
      if ('needed' in step) {
        this.#needed = step.needed;
        break;
      }
      if ('problem' in step) throw this.#invalid(this.#position + step.at, step.problem);
      at += step.consumed;
      this.#position += step.consumed;
      if (step.record) {
        this.#records++;
        yield step.record;
      }
    }
    this.#chunks = at < bytes.length ? [bytes.subarray(at)] : [];
    this.#available = bytes.length - at;
  }

  /** The file has ended: nothing may be left over. */
  end(): void {
    if (this.#position === 0 && this.#available === 0) throw this.#invalid(0, 'the file is empty');
    if (this.#available > 0) {
      throw this.#invalid(
        this.#position,
        `the file ends within a block: ${this.#available} bytes are there, ${this.#needed} are needed`,
      );
    }
  }

  #detect(bytes: Uint8Array): BlockReader {
    if (isPcapng(bytes)) return new PcapngReader();
    if (isPcap(bytes)) return new PcapReader();
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
      throw this.#invalid(0, 'the file is compressed by gzip: pipe it through zlib.createGunzip() first');
    }
    const magic = Array.from(bytes.subarray(0, 4), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
    throw this.#invalid(0, `neither pcap nor pcapng: it starts with ${magic}`);
  }

  #invalid(offset: number, problem: string): XdpError {
    const before = this.#records === 1 ? '1 packet was' : `${this.#records} packets were`;
    return new XdpError(
      'XDP_FILE_INVALID',
      `capture file, byte ${offset}: ${problem} (${before} read before)`,
      { completed: this.#records },
    );
  }
}

function concatenate(chunks: readonly Uint8Array[], length: number): Uint8Array {
  if (chunks.length === 1) return chunks[0]!;
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
