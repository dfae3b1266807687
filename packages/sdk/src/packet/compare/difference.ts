/** One difference between packets, as data and as a line of text. */

/** A field with another value than expected. */
export interface FieldDifference {
  readonly kind: 'field';
  /** Such as `ipv4.dst`; `ipv4[1].dst` for the second IPv4 header of the packet. */
  readonly path: string;
  /** The byte of the packet at which the field, or what differs of it, stands. */
  readonly offset: number;
  readonly sizeBytes: number;
  /** The same in the expected packet, where there is one. */
  readonly expectedOffset: number | undefined;
  readonly expected: unknown;
  readonly actual: unknown;
  /** The two values for people. */
  readonly expectedText: string;
  readonly actualText: string;
}

/** A layer that is there but not expected, or the other way round. */
export interface LayerDifference {
  readonly kind: 'missing' | 'extra';
  /** Such as `udp`, in the packet that has the layer. */
  readonly path: string;
  /** Where the layer stands, or would stand, in the packet. */
  readonly offset: number;
  /** The length of its header; 0 for one that is missing. */
  readonly sizeBytes: number;
  readonly expectedOffset: number | undefined;
}

export type Difference = FieldDifference | LayerDifference;

/** The lines for differences, in columns. */
export function formatDifferences(differences: readonly Difference[]): string[] {
  const rows = differences.map((difference): [string, string, string, string] => {
    const place = `@${difference.offset}`;
    if (difference.kind === 'field')
      return [difference.path, `expected ${difference.expectedText}`, `got ${difference.actualText}`, place];
    return difference.kind === 'missing'
      ? [difference.path, 'expected this layer', 'got none', place]
      : [difference.path, 'expected no such layer', 'got one', place];
  });
  const widths = [0, 1, 2].map((column) =>
    // A very long value must not push the columns of all others away.
    Math.min(44, Math.max(0, ...rows.map((row) => row[column]!.length))),
  );
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
}
