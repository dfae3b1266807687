/** Turns chunks of output into whole lines with a name in front. Works on bytes: no character is ever split. */

export interface LinePrefixer {
  push(chunk: Uint8Array): void;
  /** Writes what is left of an unfinished line. */
  end(): void;
}

/** Lines go to `write` whole, one call for each chunk's worth of them. */
export function linePrefixer(prefix: string, write: (bytes: Uint8Array) => void): LinePrefixer {
  const head = Buffer.from(prefix);
  let pending: Buffer = Buffer.alloc(0);
  return {
    push(chunk) {
      let rest = Buffer.concat([pending, chunk]);
      const out: Buffer[] = [];
      for (let newline = rest.indexOf(0x0a); newline >= 0; newline = rest.indexOf(0x0a)) {
        out.push(head, rest.subarray(0, newline + 1));
        rest = rest.subarray(newline + 1);
      }
      pending = Buffer.from(rest);
      if (out.length > 0) write(Buffer.concat(out));
    },
    end() {
      if (pending.length > 0) write(Buffer.concat([head, pending, Buffer.from('\n')]));
      pending = Buffer.alloc(0);
    },
  };
}

/** Keeps the first bytes of an output as text, up to a limit. */
export function textCollector(maxBytes: number): { push(chunk: Uint8Array): void; text(): string } {
  const parts: Uint8Array[] = [];
  let size = 0;
  return {
    push(chunk) {
      const part = chunk.subarray(0, maxBytes - size);
      size += part.length;
      if (part.length > 0) parts.push(Uint8Array.from(part));
    },
    text: () => Buffer.concat(parts).toString(),
  };
}
