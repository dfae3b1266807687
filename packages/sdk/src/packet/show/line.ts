/** A packet in one line: `10.0.0.1:1234 > 10.0.0.2:443 UDP 64 B`. */
import type { Frame } from '../codec.ts';
import { readLayer } from '../read-layer.ts';
import { layerWords } from './words.ts';

/** One part of the line. A tunnel has several, separated by bars. */
interface Segment {
  /** The two ends, without ports. */
  readonly ends: readonly [string, string] | undefined;
  /** Ethernet addresses give way to those of the IP header that follows. */
  readonly isLink: boolean;
  ports: readonly [number, number] | undefined;
  readonly words: string[];
}

/** The line for the packet in a frame. */
export function formatLine(frame: Frame): string {
  let segment: Segment = { ends: undefined, isLink: true, ports: undefined, words: [] };
  const segments: Segment[] = [];
  for (const span of frame.spans) {
    const layer = readLayer(frame.bytes, span);
    if (layer.kind === 'eth' || layer.kind === 'ipv4' || layer.kind === 'ipv6') {
      const isLink = layer.kind === 'eth';
      // VLAN tags were said of the link; they stay in the line.
      const words = segment.isLink && !isLink ? segment.words : [];
      if (isLink || !segment.isLink) segments.push(segment);
      segment = { ends: [layer.src, layer.dst], isLink, ports: undefined, words };
    }
    if ('sport' in layer) segment.ports = [layer.sport, layer.dport];
    const text = layerWords(layer);
    if (text !== '') segment.words.push(text);
  }
  segments.push(segment);
  const parts = segments.map(formatSegment).filter((part) => part !== '');
  return [parts.join(' | '), `${frame.bytes.length} B`].filter((part) => part !== '').join(' ');
}

function formatSegment({ ends, ports, words }: Segment): string {
  if (ends === undefined) return words.join(' ');
  const [src, dst] = ends.map((end, i) => (ports === undefined ? end : withPort(end, ports[i]!)));
  return [src, '>', dst, ...words].join(' ');
}

function withPort(address: string, port: number): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}
