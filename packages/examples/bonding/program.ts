/** Loads the XDP program that chooses ports, and reads what it chose. */
import { fileURLToPath } from 'node:url';
import { type PacketSource, type RunManyOptions, runMany, XdpObject } from 'xdptest';
import type { HashPolicy } from 'xdptest/live';

const policies = {
  layer2: 'LAYER2',
  'layer2+3': 'LAYER23',
  'layer3+4': 'LAYER34',
  'encap2+3': 'ENCAP23',
  'encap3+4': 'ENCAP34',
  'vlan+srcmac': 'VLAN_SRCMAC',
  'round-robin': 'ROUND_ROBIN',
} as const;

export type PortPolicy = HashPolicy | 'round-robin';

export function loadBonding(policy: PortPolicy = 'layer2', ports = 2, packetsPerPort = 1): XdpObject {
  return XdpObject.load(fileURLToPath(new URL('bonding.bpf.o', import.meta.url)), {
    variables: { policy: policies[policy], ports, packets_per_port: packetsPerPort },
  });
}

/** The port that the program chose for each packet: the metadata that it puts in front. */
export async function choosePorts(
  object: XdpObject,
  packets: PacketSource,
  options?: RunManyOptions,
): Promise<Uint32Array> {
  const results = await runMany(object.program('choose_port'), packets, options);
  const { bytes, offsets, metadataLengths } = results;
  const view = new DataView(bytes!.buffer, bytes!.byteOffset, bytes!.byteLength);
  return Uint32Array.from({ length: results.length }, (_, i) => {
    if (metadataLengths[i] !== 4) throw new Error(`packet ${i}: verdict ${results.verdicts[i]}, no port`);
    return view.getUint32(offsets[i]! - 4, true);
  });
}
