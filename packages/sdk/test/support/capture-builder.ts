/** Capture files put together by hand in either byte order, by other code than the product's. */

export class CaptureBuilder {
  readonly #little: boolean;
  readonly #parts: Buffer[] = [];

  constructor(order: 'little' | 'big') {
    this.#little = order === 'little';
  }

  u16(value: number): Buffer {
    const bytes = Buffer.alloc(2);
    if (this.#little) bytes.writeUInt16LE(value);
    else bytes.writeUInt16BE(value);
    return bytes;
  }

  u32(value: number): Buffer {
    const bytes = Buffer.alloc(4);
    if (this.#little) bytes.writeUInt32LE(value);
    else bytes.writeUInt32BE(value);
    return bytes;
  }

  u64(value: bigint): Buffer {
    const bytes = Buffer.alloc(8);
    if (this.#little) bytes.writeBigInt64LE(BigInt.asIntN(64, value));
    else bytes.writeBigInt64BE(BigInt.asIntN(64, value));
    return bytes;
  }

  raw(...parts: Uint8Array[]): this {
    this.#parts.push(...parts.map((part) => Buffer.from(part)));
    return this;
  }

  pcapHeader(magic: number, linkType = 1, snapLength = 65535): this {
    return this.raw(
      this.u32(magic),
      this.u16(2),
      this.u16(4),
      this.u32(0),
      this.u32(0),
      this.u32(snapLength),
      this.u32(linkType),
    );
  }

  pcapPacket(seconds: number, fraction: number, bytes: Uint8Array, originalLength = bytes.length): this {
    return this.raw(
      this.u32(seconds),
      this.u32(fraction),
      this.u32(bytes.length),
      this.u32(originalLength),
      bytes,
    );
  }

  block(type: number, ...body: Uint8Array[]): this {
    const content = padded(Buffer.concat(body));
    const total = this.u32(content.length + 12);
    return this.raw(this.u32(type), total, content, total);
  }

  option(code: number, value: Uint8Array | string): Buffer {
    const bytes = Buffer.from(value as Uint8Array);
    return Buffer.concat([this.u16(code), this.u16(bytes.length), padded(bytes)]);
  }

  section(...options: Buffer[]): this {
    return this.block(0x0a0d0d0a, this.u32(0x1a2b3c4d), this.u16(1), this.u16(0), this.u64(-1n), ...options);
  }

  interface(linkType: number, snapLength: number, ...options: Buffer[]): this {
    return this.block(1, this.u16(linkType), this.u16(0), this.u32(snapLength), ...options);
  }

  enhancedPacket(
    interfaceId: number,
    ticks: bigint,
    bytes: Uint8Array,
    originalLength = bytes.length,
    ...options: Buffer[]
  ): this {
    return this.block(
      6,
      this.u32(interfaceId),
      this.u32(Number(ticks >> 32n)),
      this.u32(Number(ticks & 0xffff_ffffn)),
      this.u32(bytes.length),
      this.u32(originalLength),
      padded(Buffer.from(bytes)),
      ...options,
    );
  }

  get bytes(): Uint8Array {
    return new Uint8Array(Buffer.concat(this.#parts));
  }
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
}

/** An Ethernet frame of an experimental type, whose bytes tell which one it is. */
export function frame(tag: number, length = 60): Uint8Array {
  const bytes = new Uint8Array(length).fill(tag);
  bytes.set([2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0xb5]);
  return bytes;
}
