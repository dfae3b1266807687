/** Numbers of a file in its byte order, at offsets that the caller has checked. */
export class SectionView {
  readonly bytes: Uint8Array;
  readonly littleEndian: boolean;
  readonly #view: DataView;

  constructor(bytes: Uint8Array, littleEndian: boolean) {
    this.bytes = bytes;
    this.littleEndian = littleEndian;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u16(at: number): number {
    return this.#view.getUint16(at, this.littleEndian);
  }

  u32(at: number): number {
    return this.#view.getUint32(at, this.littleEndian);
  }

  u64(at: number): bigint {
    return this.#view.getBigUint64(at, this.littleEndian);
  }

  i64(at: number): bigint {
    return this.#view.getBigInt64(at, this.littleEndian);
  }
}
