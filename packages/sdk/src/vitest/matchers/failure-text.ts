/** The text of a failure about a packet: what was wrong, the packet in a line and as a tree, and where its capture is. */
import { diff, dissect, formatLine, formatTree, type PacketLike, packetBytes } from '../../packet/index.ts';
import { saveCapture } from '../captures.ts';
import type { Subject } from './subject.ts';

/** More changed fields than these say no more in one line. */
const CHANGES_SHOWN = 5;

/** @param details lines between the packet's line and its tree, such as a diff */
export function failureText(headline: string, subject: Subject, details = ''): string {
  const { packet, input } = subject;
  const parts = [headline];
  if (packet !== undefined || input !== undefined) parts.push(`  ${inOneLine(packet, input)}`);
  if (details !== '') parts.push(details);
  // The tree is of what came out: what went in is the test's own.
  const shown = packet ?? input;
  if (shown !== undefined) parts.push(indented(formatTree(dissect(shown))));
  const capture = shown === undefined ? undefined : saveCapture(subject);
  if (capture !== undefined) parts.push(`  ${capture.what}: ${capture.path}`);
  return parts.join('\n\n');
}

function inOneLine(packet: PacketLike | undefined, input: Uint8Array | undefined): string {
  if (input === undefined) return formatLine(packet!);
  if (packet === undefined) return formatLine(input);
  return `${formatLine(input)}   ->   ${whatBecame(input, packet)}`;
}

/** A line does not show every field: where it stays the same, the fields that changed are named. */
function whatBecame(input: Uint8Array, packet: PacketLike): string {
  if (Buffer.compare(packetBytes(packet), input) === 0) return 'unchanged';
  const line = formatLine(packet);
  if (line !== formatLine(input)) return line;
  const paths = diff(input, packet).differences.map(({ path }) => path);
  return `the same with another ${paths.slice(0, CHANGES_SHOWN).join(', ')}${paths.length > CHANGES_SHOWN ? ', ...' : ''}`;
}

export function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}
