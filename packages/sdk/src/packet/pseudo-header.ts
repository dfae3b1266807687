/** The addresses that enter a transport checksum from the IP header before it. */
import type { Frame, Span } from './codec.ts';

/** A range of bytes of the packet. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

const LOOSE_SOURCE_ROUTE = 131;
const STRICT_SOURCE_ROUTE = 137;

/** Where the source and the destination stand that belong to layer `index`; nothing if no IP layer is before it. */
export function pseudoRanges(frame: Frame, index: number): readonly ByteRange[] {
  for (let i = index - 1; i >= 0; i--) {
    const span = frame.spans[i]!;
    if (span.codec.kind === 'ipv4') {
      const src = { from: span.offset + 12, to: span.offset + 16 };
      return [src, sourceRouteEnd(frame.bytes, span) ?? { from: span.offset + 16, to: span.offset + 20 }];
    }
    if (span.codec.kind === 'ipv6') {
      const src = { from: span.offset + 8, to: span.offset + 24 };
      return [src, routingEnd(frame, i, index) ?? { from: span.offset + 24, to: span.offset + 40 }];
    }
  }
  return [];
}

/** With a source route under way the destination is the last address of the route (RFC 1122, section 4.2.3.8). */
function sourceRouteEnd(bytes: Uint8Array, span: Span): ByteRange | undefined {
  const end = span.offset + span.header;
  for (let at = span.offset + 20; at < end; ) {
    const code = bytes[at]!;
    if (code === 0) return undefined;
    if (code === 1) {
      at++;
      continue;
    }
    const length = at + 1 < end ? bytes[at + 1]! : 0;
    if (length < 2 || at + length > end) return undefined;
    const isRoute = code === LOOSE_SOURCE_ROUTE || code === STRICT_SOURCE_ROUTE;
    if (isRoute && length >= 7 && length % 4 === 3 && bytes[at + 2]! <= length)
      return { from: at + length - 4, to: at + length };
    at += length;
  }
  return undefined;
}

/** With a routing header under way the destination is the final one (RFC 8200, section 8.1). */
function routingEnd(frame: Frame, ip: number, index: number): ByteRange | undefined {
  for (let i = ip + 1; i < index; i++) {
    const { codec, offset, header } = frame.spans[i]!;
    if ((codec.kind !== 'routing' && codec.kind !== 'srh') || frame.bytes[offset + 3] === 0) continue;
    const type = frame.bytes[offset + 2]!;
    // SRv6 lists its segments backwards, so the final one is the first (RFC 8754, section 2).
    if (type === 4 && header >= 24) return { from: offset + 8, to: offset + 24 };
    // Type 0 (RFC 2460) and type 2 (RFC 6275) end with the final destination.
    if ((type === 0 || type === 2) && header >= 24 && (header - 8) % 16 === 0)
      return { from: offset + header - 16, to: offset + header };
  }
  return undefined;
}
