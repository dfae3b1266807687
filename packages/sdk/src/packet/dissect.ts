/** Bytes to packets. */
import { describeValue, expectInteger, expectOptions } from '../errors.ts';
import type { Codec } from './codec.ts';
import { packetInvalid } from './header.ts';
import { findCodec, type LayerKind, layerKinds } from './layers/index.ts';
import { Packet, packetOfFrame } from './packet.ts';
import { type PacketLike, packetBytes } from './packet-batch.ts';
import { tunnelPorts } from './protocols.ts';
import { scanLayers } from './scan.ts';

/** How bytes are to be dissected. */
export interface DissectOptions {
  /** The first layer; `'eth'` unless given. */
  readonly first?: LayerKind | undefined;
  /**
   * What UDP destination ports lead to, besides 6080 to `'gue'`, 4789 to `'vxlan'` and 6081 to `'geneve'`:
   * `{ 8472: 'vxlan' }`. `'raw'` switches one off.
   */
  readonly udpPorts?: Readonly<Record<number, LayerKind>> | undefined;
}

/** Options that were checked: what the scanner needs. */
export interface DissectPlan {
  readonly first: Codec;
  readonly ports: ReadonlyMap<number, string>;
}

const eth = findCodec('eth')!;
const plain: DissectPlan = { first: eth, ports: tunnelPorts };

export function dissectPlan(options: DissectOptions | undefined): DissectPlan {
  if (options === undefined) return plain;
  const { first, udpPorts } = expectOptions('dissect', options, ['first', 'udpPorts']);
  if (udpPorts === undefined) return { first: codecNamed(first ?? 'eth'), ports: tunnelPorts };
  const ports = new Map(tunnelPorts);
  for (const [port, kind] of Object.entries(udpPorts)) {
    expectInteger('dissect: a port in udpPorts', Number(port), 0, 65_535);
    ports.set(Number(port), codecNamed(kind).kind);
  }
  return { first: codecNamed(first ?? 'eth'), ports };
}

function codecNamed(kind: string): Codec {
  const codec = findCodec(kind);
  if (codec === undefined)
    throw packetInvalid(
      `there is no kind of layer ${describeValue(kind)}; known are ${layerKinds.join(', ')}`,
    );
  return codec;
}

/**
 * The packet in `bytes`, which are not copied. Whatever the bytes are, this throws nothing and reads nothing past
 * their end: what cannot be dissected is a `raw` layer that says why in `reason`, and what lies beyond the end of a
 * layer is a `trailer`. Building the layers again gives the same bytes.
 */
export function dissect(bytes: PacketLike, options?: DissectOptions): Packet {
  if (options === undefined && bytes instanceof Packet) return bytes;
  const { first, ports } = dissectPlan(options);
  return packetOfFrame(scanLayers(packetBytes(bytes), first, ports));
}
