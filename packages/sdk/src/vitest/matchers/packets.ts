/** Matchers of packets: as a whole, and by some of their fields. */
import {
  diff,
  formatDifferences,
  formatLine,
  type LayersMatch,
  matchLayers,
  type PacketLike,
} from '../../packet/index.ts';
import { failureText, indented } from './failure-text.ts';
import type { Matcher } from './matcher.ts';
import { requirePacket, subjectOf } from './subject.ts';
import type { EqualPacketOptions } from './types.ts';

export const toEqualPacket: Matcher<[expected: PacketLike, options?: EqualPacketOptions]> = function (
  received,
  expected,
  options,
) {
  const subject = subjectOf('toEqualPacket', received);
  const comparison = diff(expected, requirePacket('toEqualPacket', subject), options);
  const count = comparison.differences.length;
  return {
    pass: comparison.equal,
    message: () =>
      this.isNot
        ? failureText(`expected any other packet than ${formatLine(expected)}`, subject)
        : failureText(
            `expected another packet: ${count} ${count === 1 ? 'difference' : 'differences'}`,
            subject,
            comparison.format(),
          ),
  };
};

export const toMatchLayers: Matcher<[layers: LayersMatch]> = function (received, layers) {
  const subject = subjectOf('toMatchLayers', received);
  const differences = matchLayers(requirePacket('toMatchLayers', subject), layers);
  return {
    pass: differences.length === 0,
    message: () =>
      this.isNot
        ? failureText(`expected not all of ${Object.keys(layers).join(', ')} to match`, subject)
        : failureText('expected other layers', subject, indented(formatDifferences(differences).join('\n'))),
  };
};
