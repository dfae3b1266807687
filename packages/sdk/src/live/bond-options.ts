/** Settings of a bond, as Documentation/networking/bonding.rst names them. */
import { describeValue, expectInteger, expectOptions, invalidArgument } from '../errors.ts';
import { IFLA_BOND } from './netlink/constants.ts';
import type { WireWriter } from './netlink/wire.ts';

/** Modes, in the order of their numbers (linux/if_bonding.h). */
export const bondModes = [
  'balance-rr',
  'active-backup',
  'balance-xor',
  'broadcast',
  '802.3ad',
  'balance-tlb',
  'balance-alb',
] as const;
export type BondMode = (typeof bondModes)[number];

/** Policies by which a flow finds its port, in the order of their numbers. */
export const hashPolicies = [
  'layer2',
  'layer3+4',
  'layer2+3',
  'encap2+3',
  'encap3+4',
  'vlan+srcmac',
] as const;
export type HashPolicy = (typeof hashPolicies)[number];

export interface BondOptions {
  readonly mode: BondMode;
  /** For balance-xor and 802.3ad. Default layer2. */
  readonly hashPolicy?: HashPolicy;
  /** How often the carrier of the ports is looked at. Default 10. */
  readonly miimonMs?: number;
  /** For 802.3ad: how often the ports tell each other that they live. Default `fast`, each second. */
  readonly lacpRate?: 'slow' | 'fast';
  /** For balance-rr: frames in a row on one port. Default 1; 0 for a random port for each frame. */
  readonly packetsPerSlave?: number;
}

export interface BondSettings {
  readonly mode: BondMode;
  readonly hashPolicy: HashPolicy | undefined;
  readonly miimonMs: number;
  readonly lacpRate: 'slow' | 'fast' | undefined;
  readonly packetsPerSlave: number | undefined;
}

function oneOf<T extends string>(name: string, value: T, known: readonly T[]): T {
  if (!known.includes(value)) {
    throw invalidArgument(`addBond: ${name} must be one of ${known.join(', ')}, got ${describeValue(value)}`);
  }
  return value;
}

export function checkBond(options: BondOptions): BondSettings {
  const { mode, hashPolicy, miimonMs, lacpRate, packetsPerSlave } = expectOptions('addBond', options, [
    'mode',
    'hashPolicy',
    'miimonMs',
    'lacpRate',
    'packetsPerSlave',
  ]);
  oneOf('mode', mode, bondModes);
  if (hashPolicy !== undefined) oneOf('hashPolicy', hashPolicy, hashPolicies);
  if (lacpRate !== undefined) oneOf('lacpRate', lacpRate, ['slow', 'fast']);
  // The kernel ignores settings of another mode or refuses them; a test should not think that it set one.
  const only = (name: string, value: unknown, modes: readonly BondMode[]): void => {
    if (value !== undefined && !modes.includes(mode)) {
      throw invalidArgument(`addBond: ${name} is for mode ${modes.join(' and ')}, not for ${mode}`);
    }
  };
  only('hashPolicy', hashPolicy, ['balance-xor', '802.3ad']);
  only('lacpRate', lacpRate, ['802.3ad']);
  only('packetsPerSlave', packetsPerSlave, ['balance-rr']);
  return {
    mode,
    hashPolicy,
    miimonMs: expectInteger('addBond: miimonMs', miimonMs ?? 10, 1, 0x7fff_ffff),
    lacpRate: mode === '802.3ad' ? (lacpRate ?? 'fast') : undefined,
    packetsPerSlave:
      packetsPerSlave === undefined
        ? undefined
        : expectInteger('addBond: packetsPerSlave', packetsPerSlave, 0, 65_535),
  };
}

/** IFLA_INFO_DATA of a bond. */
export function bondData(writer: WireWriter, settings: BondSettings): void {
  const { mode, hashPolicy, miimonMs, lacpRate, packetsPerSlave } = settings;
  writer.attribute(IFLA_BOND.mode, (value) => value.u8(bondModes.indexOf(mode)));
  writer.attribute(IFLA_BOND.miimon, (value) => value.u32(miimonMs));
  if (hashPolicy !== undefined) {
    writer.attribute(IFLA_BOND.xmitHashPolicy, (value) => value.u8(hashPolicies.indexOf(hashPolicy)));
  }
  if (lacpRate !== undefined) {
    writer.attribute(IFLA_BOND.adLacpRate, (value) => value.u8(lacpRate === 'fast' ? 1 : 0));
  }
  if (packetsPerSlave !== undefined) {
    writer.attribute(IFLA_BOND.packetsPerSlave, (value) => value.u32(packetsPerSlave));
  }
}
