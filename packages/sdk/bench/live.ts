/**
 * `pnpm bench:live`: packets per second of XDP_DROP and XDP_TX on real interfaces: a veth, and bonds of one and two of
 * them where the kernel has the driver. Prints the table of docs/real-interfaces.md.
 *
 * The frames are made in the kernel (live frames) on the other ends of the pairs, which sends them: to a veth there is no
 * faster way in. What is counted is what a program saw: the dropping one, or for XDP_TX the one that counts what comes
 * back. Frames that found a ring full are not in it. Sender, program and counter share the CPUs of the machine.
 */
import { release } from 'node:os';
import { fileURLToPath } from 'node:url';
import { XdpError, XdpObject } from 'xdptest';
import { type NetworkInterface, NetworkNamespace, runLive } from 'xdptest/live';
import { eth, ipv4, packet, payload, udp } from 'xdptest/packet';
import { median } from 'xdptest/stats';

const ROUNDS = 5;
const FRAMES = Number(process.argv[2] ?? 1_000_000);
const objectPath = fileURLToPath(new URL('../../../test/bpf/live.bpf.o', import.meta.url));
const frame = packet(
  eth({ src: '02:00:00:00:00:01', dst: '02:00:00:00:00:02' }),
  ipv4({ src: '10.0.0.1', dst: '10.0.0.2' }),
  udp({ sport: 1, dport: 2 }),
  payload(new Uint8Array(22)),
);

interface Rig {
  readonly name: string;
  /** Where the program is attached. */
  readonly device: NetworkInterface;
  /** The other ends of its pairs. */
  readonly ends: readonly NetworkInterface[];
  readonly close: () => void;
}

async function rig(pairs: number, bonded: boolean): Promise<Rig> {
  const here = new NetworkNamespace('here');
  const there = new NetworkNamespace('there');
  const close = (): void => {
    here.close();
    there.close();
  };
  try {
    const links = Array.from({ length: pairs }, (_, i) =>
      here.addVeth(`a${i}`, { namespace: there, name: `b${i}` }),
    );
    const ends = links.map(([, end]) => end);
    if (!bonded) return { name: 'veth', device: links[0]![0], ends, close };
    const bond = here.addBond('bond0', { mode: 'balance-xor', hashPolicy: 'layer3+4' });
    for (const [port] of links) bond.addPort(port);
    bond.up();
    await bond.ready();
    return { name: `bond of ${pairs}`, device: bond, ends, close };
  } catch (error) {
    close();
    throw error;
  }
}

function counted(object: XdpObject): number {
  const values = object.map('counted').get(0) as readonly bigint[];
  return Number(values.reduce((sum, value) => sum + value, 0n));
}

/** Millions of frames a second that one program saw, the median of some rounds. */
async function measure(setup: Rig, action: 'XDP_DROP' | 'XDP_TX', flows: 'one' | 'many'): Promise<number> {
  using object = XdpObject.load(objectPath);
  const attached = [
    setup.device.attach(object.program(action === 'XDP_DROP' ? 'drop_counted' : 'tx_ipv4')),
    // Drops and counts what comes back; with XDP_DROP nothing does.
    ...setup.ends.map((end) => end.attach(object.program('drop_counted'))),
  ];
  const generator = object.program(flows === 'one' ? 'tx' : 'tx_flows');
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = counted(object);
    // One sender: the frames of a bond of two come in by one of its ports, and leave by both.
    const { elapsedNs } = await runLive(generator, frame, {
      on: setup.ends[0]!,
      repeat: FRAMES,
      timeoutMs: 600_000,
    });
    rates.push(((counted(object) - before) * 1e3) / elapsedNs);
  }
  for (const attachment of attached) attachment.close();
  return median(rates);
}

console.log(
  `Linux ${release()}: millions of 64-byte frames a second, median of ${ROUNDS} rounds of ${FRAMES}\n`,
);
console.log('| device | XDP_DROP, one flow | XDP_DROP, many | XDP_TX, one flow | XDP_TX, many |');
console.log('| --- | ---: | ---: | ---: | ---: |');
for (const [pairs, bonded] of [
  [1, false],
  [1, true],
  [2, true],
] as const) {
  let setup: Rig;
  try {
    setup = await rig(pairs, bonded);
  } catch (error) {
    if (!(error instanceof XdpError) || error.code !== 'XDP_FEATURE_UNSUPPORTED') throw error;
    console.log(`| bond of ${pairs} | no bonding driver here | | | |`);
    continue;
  }
  const cells: string[] = [];
  for (const action of ['XDP_DROP', 'XDP_TX'] as const) {
    for (const flows of ['one', 'many'] as const)
      cells.push((await measure(setup, action, flows)).toFixed(3));
  }
  console.log(`| ${setup.name} | ${cells.join(' | ')} |`);
  setup.close();
}
