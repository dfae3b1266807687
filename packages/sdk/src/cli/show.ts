/** `xdptest show`: the packets of a capture file, a line or a tree each. */
import { parseArgs } from 'node:util';
import { invalidArgument } from '../errors.ts';
import { type CaptureRecord, dissect, formatTree, hexdump, readCapture } from '../packet/index.ts';
import { wholeNumber } from './arguments.ts';
import { EXIT } from './exit.ts';
import { actionOfRecord, openCapture } from './packets.ts';
import { print, styled, styledAction } from './terminal.ts';

const usage = `usage: xdptest show FILE [options]

Prints the packets of a capture file, pcap or pcapng: number, time since the first packet, the verdict where the file has
one, the packet, comments.

  --tree      all fields of each packet, wrong lengths and checksums pointed out
  --hex       the bytes of each packet, with its layers named below them
  --first N   the first N packets only
  --json      one JSON object a line: index, timestampNs, verdict, comments, layers

Exit code: 0 when the file was read to its end (or to packet N), 1 when it is damaged (the packets before the damage are
shown) or cannot be read, 2 for a wrong command line.
`;

const options = {
  tree: { type: 'boolean' },
  hex: { type: 'boolean' },
  first: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

export async function showCommand(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
  if (values.help === true) {
    process.stdout.write(usage);
    return EXIT.ok;
  }
  const [path, ...more] = positionals;
  if (path === undefined) throw invalidArgument('which file? xdptest show FILE');
  if (more.length > 0) throw invalidArgument(`one file at a time, got also ${more.join(' ')}`);
  const first = wholeNumber('--first', values.first) ?? Number.POSITIVE_INFINITY;
  const format = chooseFormat(values);
  let start: bigint | undefined;
  for await (const record of readCapture(openCapture(path))) {
    if (record.index >= first) break;
    start ??= record.timestampNs;
    print(format(record, start ?? 0n));
  }
  return EXIT.ok;
}

type Format = (record: CaptureRecord, start: bigint) => string;

function chooseFormat(chosen: { json?: boolean; tree?: boolean; hex?: boolean }): Format {
  const { json = false, tree = false, hex = false } = chosen;
  if (json && (tree || hex)) throw invalidArgument('either --json or --tree and --hex, not both');
  if (json) return asJson;
  return (record, start) => {
    const { bytes } = record;
    const parts = [...(tree ? [formatTree(bytes)] : []), ...(hex ? [hexdump(bytes)] : [])];
    const line = asLine(record, start);
    return parts.length === 0 ? line : [styled('bold', line), ...parts, ''].join('\n');
  };
}

function asLine(record: CaptureRecord, start: bigint): string {
  const { index, timestampNs, bytes, originalLength, comments } = record;
  const action = actionOfRecord(record);
  const cut = bytes.length < originalLength ? styled('yellow', ` (cut from ${originalLength} B)`) : '';
  return [
    `#${index}`,
    timestampNs === undefined ? '' : `  +${seconds(timestampNs - start)}`,
    action === undefined ? '' : `  ${styledAction(action, 12)}`,
    `  ${dissect(bytes).toString()}${cut}`,
    ...comments.map((comment) => styled('dim', `  "${comment}"`)),
  ].join('');
}

function seconds(ns: bigint): string {
  return (Number(ns) / 1e9).toFixed(6);
}

/** Numbers beyond 2^53 and bytes have no JSON of their own: text and hex. */
function asJson(record: CaptureRecord): string {
  const { index, timestampNs, comments, bytes } = record;
  const verdict = actionOfRecord(record);
  return JSON.stringify(
    { index, timestampNs, verdict, comments, layers: dissect(bytes).layers },
    (_, value: unknown) => {
      if (typeof value === 'bigint') return String(value);
      return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
    },
  );
}
