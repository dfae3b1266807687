/** `xdptest diff`: two capture files, packet by packet, field by field. */
import { parseArgs } from 'node:util';
import { invalidArgument } from '../errors.ts';
import { type CaptureRecord, diff, dissect, readCapture } from '../packet/index.ts';
import { wholeNumber } from './arguments.ts';
import { EXIT } from './exit.ts';
import { actionOfRecord, openCapture } from './packets.ts';
import { print, styled } from './terminal.ts';

const usage = `usage: xdptest diff EXPECTED ACTUAL [--ignore PATH...] [--lines N]

Compares two capture files, pcap or pcapng: the first packet of one with the first of the other, and so on, by layers and
fields, and by verdicts where both have one. Times and comments do not count.

  --ignore PATH  what may differ: a field (ipv4.id, udp[1].sport), a field of any layer (*.checksum), a layer (trailer);
                 may be given several times
  --lines N      show at most so many packets that differ (5); all are counted

Exit code: 0 when nothing differs, 1 when something does or a file cannot be read, 2 for a wrong command line.
`;

const options = {
  ignore: { type: 'string', multiple: true },
  lines: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

export async function diffCommand(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
  if (values.help === true) {
    process.stdout.write(usage);
    return EXIT.ok;
  }
  const [expected, actual, ...more] = positionals;
  if (expected === undefined || actual === undefined || more.length > 0) {
    throw invalidArgument(`two files are compared, got ${positionals.length}`);
  }
  const lines = wholeNumber('--lines', values.lines) ?? 5;
  let packets = 0;
  let different = 0;
  for await (const pair of pairs(expected, actual)) {
    const text = difference(pair, values.ignore ?? []);
    packets += 1;
    if (text === undefined) continue;
    different += 1;
    if (different <= lines) print(`${styled('bold', `#${packets - 1}`)}\n${text}\n`);
  }
  if (different > lines) print(styled('dim', `... and ${different - lines} more that differ`));
  print(`${packets} packets, ${different === 0 ? 'no difference' : `${different} differ`}`);
  return different === 0 ? EXIT.ok : EXIT.failed;
}

type Pair = readonly [expected: CaptureRecord | undefined, actual: CaptureRecord | undefined];

/** The packets of both files in step; the shorter one is followed by nothing. */
async function* pairs(expected: string, actual: string): AsyncGenerator<Pair> {
  const [left, right] = [expected, actual].map((path) =>
    readCapture(openCapture(path))[Symbol.asyncIterator](),
  );
  for (;;) {
    const [a, b] = [await left!.next(), await right!.next()];
    if (a.done === true && b.done === true) return;
    yield [a.done === true ? undefined : a.value, b.done === true ? undefined : b.value];
  }
}

/** What differs, in words; undefined when nothing does. */
function difference([expected, actual]: Pair, ignore: readonly string[]): string | undefined {
  if (expected === undefined) return `  not expected: ${dissect(actual!.bytes).toString()}`;
  if (actual === undefined) return `  missing: ${dissect(expected.bytes).toString()}`;
  const bytes = diff(expected.bytes, actual.bytes, { ignore });
  const [wanted, got] = [actionOfRecord(expected), actionOfRecord(actual)];
  const verdict =
    wanted === undefined || got === undefined || wanted === got
      ? []
      : [`  verdict: expected ${wanted}, got ${got}`];
  const texts = [...verdict, ...(bytes.equal ? [] : [bytes.format()])];
  return texts.length === 0 ? undefined : texts.join('\n');
}
