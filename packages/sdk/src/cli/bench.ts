/** `xdptest bench`: what a run of the programs of an object costs. */
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { benchXdp, formatHeader } from '../bench/index.ts';
import { invalidArgument } from '../errors.ts';
import { XdpObject } from '../object/index.ts';
import { eth, ipv4, type PacketLike, packet, payload, udp } from '../packet/index.ts';
import { wholeNumber } from './arguments.ts';
import { EXIT } from './exit.ts';
import { chooseProgram, settings, xdpPrograms } from './objects.ts';
import { parseHex, readFirstPacket } from './packets.ts';
import { print } from './terminal.ts';

const usage = `usage: xdptest bench OBJECT [--program NAME...] [--hex HEX | --pcap FILE] [options]

Measures XDP programs on one packet and prints lines of go test -bench, for xdptest benchstat and Go's benchstat.

  --program NAME   which program; may be given several times (all XDP programs of the object)
  --hex HEX        the packet in hex, from its Ethernet header on
  --pcap FILE      the first packet of a capture (default: a UDP packet of 64 bytes)
  --set NAME=VALUE a global variable, before the load; may be given several times
  --count N        measurements of each program (10, the least for a good comparison)
  --time MS        each of at least so many milliseconds (100)
  --engine NAME    batch restores the packet before each run; syscall is the kernel's repeat, which does not (auto)

  xdptest bench lb.bpf.o --count 10 > old.txt
  ... change something ...
  xdptest bench lb.bpf.o --count 10 > new.txt
  xdptest benchstat old.txt new.txt

Exit code: 0 when all was measured, 1 when something could not be, 2 for a wrong command line.
`;

const options = {
  program: { type: 'string', short: 'p', multiple: true },
  hex: { type: 'string' },
  pcap: { type: 'string' },
  set: { type: 'string', multiple: true },
  count: { type: 'string', short: 'n' },
  time: { type: 'string' },
  engine: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

export async function benchCommand(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
  if (values.help === true) {
    process.stdout.write(usage);
    return EXIT.ok;
  }
  const [path, ...more] = positionals;
  if (path === undefined) throw invalidArgument('which object file? xdptest bench lb.bpf.o');
  if (more.length > 0) throw invalidArgument(`one object file at a time, got also ${more.join(' ')}`);
  const count = wholeNumber('--count', values.count);
  const minTimeMs = wholeNumber('--time', values.time);
  const { engine } = values;
  if (engine !== undefined && engine !== 'batch' && engine !== 'syscall' && engine !== 'auto') {
    throw invalidArgument(`--engine must be auto, batch or syscall, got ${JSON.stringify(engine)}`);
  }
  const given = benchPacket(values);
  using object = XdpObject.load(path, { variables: settings(values.set) });
  const programs =
    values.program === undefined
      ? xdpPrograms(object)
      : values.program.map((name) => chooseProgram(object, name));
  print(formatHeader(basename(path)));
  for (const program of programs) {
    const result = await benchXdp(program, given, {
      ...(count === undefined ? {} : { count }),
      ...(minTimeMs === undefined ? {} : { minTimeMs }),
      ...(engine === undefined ? {} : { engine }),
    });
    print(result.toString());
    for (const warning of result.warnings) process.stderr.write(`${program.name}: ${warning}\n`);
  }
  return EXIT.ok;
}

function benchPacket({ hex, pcap }: Values): PacketLike {
  if (hex !== undefined && pcap !== undefined) throw invalidArgument('either --hex or --pcap, not both');
  if (hex !== undefined) return parseHex(hex, '--hex');
  if (pcap !== undefined) return readFirstPacket(pcap);
  return packet(
    eth(),
    ipv4({ src: '10.0.0.1', dst: '192.0.2.1' }),
    udp({ sport: 1234, dport: 443 }),
    payload(new Uint8Array(22)),
  );
}
