/** Packets from the command line and from files. */
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { invalidArgument, XdpError } from '../errors.ts';
import { type CaptureRecord, readCaptureSync } from '../packet/index.ts';
import { actionOf } from '../run/index.ts';

/** The bytes of a packet in hex; blanks and colons between them do not matter. */
export function parseHex(text: string, name: string): Uint8Array {
  const digits = text.replaceAll(/0x|[\s:.,-]/gi, '');
  const wrong = /[^0-9a-f]/i.exec(digits);
  if (wrong !== null) throw invalidArgument(`${name}: ${JSON.stringify(wrong[0])} is no hex digit`);
  if (digits.length % 2 === 1)
    throw invalidArgument(`${name}: ${digits.length} hex digits, which is half a byte too many`);
  if (digits.length === 0) throw invalidArgument(`${name}: no hex digits`);
  return Uint8Array.from({ length: digits.length / 2 }, (_, i) =>
    Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16),
  );
}

/** A capture file to be read as a stream. */
export function openCapture(path: string): AsyncIterable<Uint8Array> {
  try {
    if (statSync(path).isDirectory()) throw new Error('it is a directory');
  } catch (cause) {
    throw new XdpError('XDP_FILE_INVALID', `cannot read ${path}: ${(cause as Error).message}`, { cause });
  }
  return createReadStream(path);
}

/** The first packet of a capture. */
export function readFirstPacket(path: string): Uint8Array {
  for (const { bytes } of readCaptureSync(readFileSync(path))) return bytes;
  throw new XdpError('XDP_FILE_INVALID', `${path} has no packet`);
}

/** The XDP verdict of a packet by name, or the number where it is no action; undefined where the file has none. */
export function actionOfRecord({ verdict }: CaptureRecord): string | number | undefined {
  return verdict?.kind === 'xdp' ? actionOf(Number(verdict.value)) : undefined;
}
