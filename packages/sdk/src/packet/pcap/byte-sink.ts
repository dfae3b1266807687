/** A buffer that grows as numbers and bytes are appended, little-endian. */
export class ByteSink {
  #bytes: Uint8Array<ArrayBuffer> = new Uint8Array(64 * 1024);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  u8(value: number): void {
    const at = this.#reserve(1);
    this.#view.setUint8(at, value);
  }

  u16(value: number): void {
    const at = this.#reserve(2);
    this.#view.setUint16(at, value, true);
  }

  u32(value: number): void {
    const at = this.#reserve(4);
    this.#view.setUint32(at, value, true);
  }

  u64(value: bigint): void {
    const at = this.#reserve(8);
    this.#view.setBigUint64(at, value, true);
  }

  append(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length);
    this.#bytes.set(bytes, at);
  }

  /** Zeros up to a multiple of four, counted from the start of the file: all blocks are such multiples. */
  pad(length: number): void {
    const at = this.#reserve(-length & 3);
    this.#bytes.fill(0, at, this.#length);
  }

  /** Fills in a number that was not known before. */
  patchU32(at: number, value: number): void {
    this.#view.setUint32(at, value, true);
  }

  /** Everything appended since the last call; the caller's own. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    return taken;
  }

  /** May replace the buffer: to be called before the buffer or its view is looked at. */
  #reserve(size: number): number {
    const at = this.#length;
    this.#length += size;
    if (this.#length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#length, this.#bytes.length * 2));
      larger.set(this.#bytes.subarray(0, at));
      this.#bytes = larger;
      this.#view = new DataView(larger.buffer);
    }
    return at;
  }
}
