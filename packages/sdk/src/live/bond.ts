/** Bonds: several interfaces as one. */
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { XdpError } from '../errors.ts';
import { type BondMode, bondModes, type HashPolicy, hashPolicies } from './bond-options.ts';
import { interfacePlace, NetworkInterface } from './interface.ts';
import { IFLA_BOND, IFLA_BOND_SLAVE } from './netlink/constants.ts';
import { type NetlinkRefusal, netlinkError } from './netlink/netlink.ts';

/** One port of a bond as the driver sees it. */
export interface BondPortState {
  readonly name: string;
  /** Carries traffic, or waits. */
  readonly active: boolean;
  readonly carrier: boolean;
  /** Of 802.3ad: the bits of IEEE 802.1AX, 6.4.2.3, of this end and of the other one. */
  readonly actorState: number | undefined;
  readonly partnerState: number | undefined;
  readonly aggregatorId: number | undefined;
}

/** Activity, timeout (either way), aggregation, synchronization, collecting, distributing; not defaulted, not expired. */
const NEGOTIATED = 0b0011_1100;
const DEFAULTED_OR_EXPIRED = 0b1100_0000;

/** A bond. */
export class Bond extends NetworkInterface {
  /** The error of a bond that could not be made. @internal */
  static refused(doing: string, refusal: NetlinkRefusal): XdpError {
    if (refusal.errno !== constants.errno.EOPNOTSUPP) return netlinkError(doing, refusal);
    return new XdpError(
      'XDP_FEATURE_UNSUPPORTED',
      `${doing}: this kernel has no bonding driver (built in or as the module \`bonding\`, loaded); \`xdptest vm --modules bonding,veth\` runs a command on one that has`,
      { syscall: 'netlink', errno: refusal.errno },
    );
  }

  get mode(): BondMode {
    const { core, index } = interfacePlace(this);
    return bondModes[core.linkState(index).kindData?.number(IFLA_BOND.mode) ?? -1] ?? 'balance-rr';
  }

  get hashPolicy(): HashPolicy | undefined {
    const { core, index } = interfacePlace(this);
    return hashPolicies[core.linkState(index).kindData?.number(IFLA_BOND.xmitHashPolicy) ?? -1];
  }

  /** Takes an interface as a port, and brings it up. */
  addPort(port: NetworkInterface): this {
    port.down().setMaster(this);
    port.up();
    return this;
  }

  /** The ports, in the order of their indexes. */
  ports(): BondPortState[] {
    const { core, index } = interfacePlace(this);
    return core
      .linkStates()
      .filter((link) => link.master === index)
      .map((link) => ({
        name: link.name,
        // BOND_STATE_ACTIVE is 0, BOND_STATE_BACKUP 1; BOND_LINK_UP is 0.
        active: link.slaveData?.number(IFLA_BOND_SLAVE.state) === 0,
        carrier: link.slaveData?.number(IFLA_BOND_SLAVE.miiStatus) === 0,
        actorState: link.slaveData?.number(IFLA_BOND_SLAVE.actorPortState),
        partnerState: link.slaveData?.number(IFLA_BOND_SLAVE.partnerPortState),
        aggregatorId: link.slaveData?.number(IFLA_BOND_SLAVE.aggregatorId),
      }));
  }

  /** The port that an active-backup bond uses now. */
  get activePort(): string | undefined {
    const { core, index } = interfacePlace(this);
    const active = core.linkState(index).kindData?.number(IFLA_BOND.activeSlave) ?? 0;
    return active === 0 ? undefined : core.linkState(active).name;
  }

  /**
   * Waits until that many ports (default all) can carry traffic; of 802.3ad, until both sides have agreed, before which
   * the driver distributes to none.
   * @throws XdpError `XDP_TIMEOUT` with the state of each port
   */
  async ready(options: { readonly ports?: number; readonly timeoutMs?: number } = {}): Promise<this> {
    const { timeoutMs = 10_000 } = options;
    const deadline = performance.now() + timeoutMs;
    const agrees = this.mode === '802.3ad';
    for (;;) {
      const ports = this.ports();
      const wanted = options.ports ?? ports.length;
      const usable = ports.filter((port) => port.carrier && (!agrees || negotiated(port)));
      if (usable.length >= wanted && wanted > 0 && this.state.carrier) return this;
      if (performance.now() >= deadline) {
        const states = ports.map(
          (port) =>
            `${port.name}: carrier ${port.carrier ? 'up' : 'down'}${agrees ? `, actor ${port.actorState}, partner ${port.partnerState}` : ''}`,
        );
        throw new XdpError(
          'XDP_TIMEOUT',
          `bond ${this}: ${usable.length} of ${wanted} ports were ready after ${timeoutMs} ms (${states.join('; ') || 'it has none'})`,
        );
      }
      await sleep(5);
    }
  }
}

function negotiated(port: BondPortState): boolean {
  return [port.actorState ?? 0, port.partnerState ?? 0].every(
    (state) => (state & NEGOTIATED) === NEGOTIATED && (state & DEFAULTED_OR_EXPIRED) === 0,
  );
}
