/** `xdptest run`: packets through a program of an object file, without writing a test first. */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { invalidArgument, XdpError } from '../errors.ts';
import { XdpObject, type XdpProgram } from '../object/index.ts';
import { batchFromCapture, captureBytes, dissect, PacketBatch, type PacketInfo } from '../packet/index.ts';
import { closeWorkers, runMany, runXdp, type XdpAction } from '../run/index.ts';
import { wholeNumber } from './arguments.ts';
import { EXIT } from './exit.ts';
import { chooseProgram, settings } from './objects.ts';
import { openCapture, parseHex } from './packets.ts';
import { print, styled, styledAction } from './terminal.ts';

const usage = `usage: xdptest run OBJECT [--program NAME] (--hex HEX... | --pcap FILE) [options]

Runs packets through an XDP program in the kernel and prints what became of each.

  --program NAME   which program of the object (needed when it has several of XDP)
  --hex HEX        a packet in hex, from its Ethernet header on; may be given several times
  --pcap FILE      the packets of a capture, pcap or pcapng
  --out FILE       write the packets that come out to a pcapng file, with the verdicts
  --set NAME=VALUE a global variable, before the load; may be given several times. VALUE is a number, a text (an
                   address, the name of an enumerator) or JSON
  --repeat N       run each packet N times and print the mean time; each run gets the packet as it was given
  --lines N        print at most so many packets (20); the counts are of all of them

Exit code: 0 when all packets ran, whatever the verdicts; 1 when the object or a packet could not be run; 2 for a wrong
command line.
`;

const options = {
  program: { type: 'string', short: 'p' },
  hex: { type: 'string', multiple: true },
  pcap: { type: 'string' },
  out: { type: 'string', short: 'o' },
  set: { type: 'string', multiple: true },
  repeat: { type: 'string' },
  lines: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

/** The packets to run, and what a capture file says of them. */
interface Inputs {
  readonly batch: PacketBatch;
  readonly infos: readonly PacketInfo[];
}

/** What became of one packet. */
interface Outcome {
  readonly action: XdpAction | number;
  readonly verdict: number;
  readonly packet: Uint8Array;
  readonly durationNs?: number;
}

export async function runCommand(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
  if (values.help === true) {
    process.stdout.write(usage);
    return EXIT.ok;
  }
  const [path, ...more] = positionals;
  if (path === undefined) throw invalidArgument('which object file? xdptest run lb.bpf.o --hex ...');
  if (more.length > 0) throw invalidArgument(`one object file at a time, got also ${more.join(' ')}`);
  const repeat = wholeNumber('--repeat', values.repeat);
  const lines = wholeNumber('--lines', values.lines) ?? 20;
  const inputs = await readInputs(values);
  using object = XdpObject.load(path, { variables: settings(values.set) });
  const program = chooseProgram(object, values.program);
  const outcomes =
    repeat === undefined ? await runOnce(program, inputs) : runRepeated(program, inputs, repeat);
  for (const [i, outcome] of outcomes.slice(0, lines).entries())
    print(describe(i, inputs.batch.at(i)!, outcome));
  if (outcomes.length > lines) print(styled('dim', `... and ${outcomes.length - lines} more`));
  if (outcomes.length > 1) print(summary(outcomes));
  if (values.out !== undefined) writeOut(values.out, inputs.infos, outcomes);
  return EXIT.ok;
}

async function readInputs({ hex = [], pcap }: Values): Promise<Inputs> {
  if (pcap !== undefined && hex.length > 0) throw invalidArgument('either --hex or --pcap, not both');
  if (pcap === undefined && hex.length === 0)
    throw invalidArgument('which packets? --hex HEX or --pcap FILE');
  if (pcap === undefined) {
    return {
      batch: PacketBatch.from(hex.map((text, i) => parseHex(text, `--hex (packet ${i})`))),
      infos: [],
    };
  }
  const infos: PacketInfo[] = [];
  const filter = ({ timestampNs }: PacketInfo): boolean => {
    infos.push({ timestampNs });
    return true;
  };
  const batch = await batchFromCapture(openCapture(pcap), { filter });
  if (batch.length === 0) throw new XdpError('XDP_FILE_INVALID', `${pcap} has no packet`);
  return { batch, infos };
}

async function runOnce(program: XdpProgram, { batch }: Inputs): Promise<Outcome[]> {
  const results = await runMany(program, batch);
  await closeWorkers();
  return Array.from(results, ({ action, verdict, packet }) => ({ action, verdict, packet: packet! }));
}

function runRepeated(program: XdpProgram, { batch }: Inputs, repeat: number): Outcome[] {
  return Array.from(batch, (bytes) => runXdp(program, bytes, { repeat }));
}

function describe(index: number, input: Uint8Array, { action, packet, durationNs }: Outcome): string {
  const unchanged = Buffer.compare(input, packet) === 0;
  const after = unchanged ? styled('dim', 'unchanged') : dissect(packet).toString();
  const time = durationNs === undefined ? '' : `  ${durationNs} ns`;
  return `#${index}  ${styledAction(action, 12)}  ${dissect(input).toString()}  ->  ${after}${time}`;
}

function summary(outcomes: readonly Outcome[]): string {
  const counts = new Map<XdpAction | number, number>();
  for (const { action } of outcomes) counts.set(action, (counts.get(action) ?? 0) + 1);
  const parts = [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([action, count]) => `${count} ${styledAction(action)}`);
  return `${outcomes.length} packets: ${parts.join(', ')}`;
}

function writeOut(path: string, infos: readonly PacketInfo[], outcomes: readonly Outcome[]): void {
  const packets = outcomes.map(({ packet, verdict }, i) => ({ ...infos[i], bytes: packet, verdict }));
  writeFileSync(
    path,
    captureBytes(packets, { comment: 'packets as an XDP program left them, with its verdicts' }),
  );
  print(`written to ${path}`);
}
