/** Paths of layers and fields: `ipv4.dst`, and `ipv4[1].dst` for the second IPv4 header. */
import type { Frame } from './codec.ts';
import { packetInvalid } from './header.ts';

/** A path in its parts. */
export interface Path {
  readonly kind: string;
  /** The number among the layers of this kind; undefined if none was given. */
  readonly nth: number | undefined;
  /** Undefined for the layer as a whole. */
  readonly field: string | undefined;
}

const pattern = /^([A-Za-z0-9]+)(?:\[(\d{1,3})\])?(?:\.([A-Za-z0-9]+))?$/;

/** Takes a path apart. Throws `XDP_PACKET_INVALID` if it is none. */
export function parsePath(path: string): Path {
  const match = typeof path === 'string' ? pattern.exec(path) : null;
  if (match === null)
    throw packetInvalid(
      `${JSON.stringify(path)} is not the path of a field, such as ipv4.dst or ipv4[1].dst`,
    );
  return { kind: match[1]!, nth: match[2] === undefined ? undefined : Number(match[2]), field: match[3] };
}

/** The index of the layer that a path means: without a number the first of its kind. */
export function layerIndex(frame: Frame, { kind, nth = 0 }: Path): number {
  let seen = 0;
  return frame.spans.findIndex((span) => span.codec.kind === kind && seen++ === nth);
}

/** The path of layer `index`: the kind, with a number from the second of its kind on. */
export function layerPath(frame: Frame, index: number): string {
  const { kind } = frame.spans[index]!.codec;
  const before = frame.spans.slice(0, index).filter((span) => span.codec.kind === kind).length;
  return before === 0 ? kind : `${kind}[${before}]`;
}
