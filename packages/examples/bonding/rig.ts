/**
 * Two bonds, back to back over two veth pairs. Frames go in at one port only of the bond `there`; the bond `here` has a
 * program that turns them round, and the port that each comes back by is the driver's choice.
 *
 *     here: bond0 = a0 + a1   ---   there: bond0 = b0 + b1
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { XdpObject } from 'xdptest';
import { type Bond, type BondOptions, NetworkNamespace, type Port } from 'xdptest/live';
import type { Packet } from 'xdptest/packet';
import { loadBonding } from './program.ts';

/** UDP port of the frames of a test: the bonds' own (LACPDUs, neighbour discovery) are told apart by it. */
export const TEST_PORT = 4242;

const key = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

export class BondRig {
  readonly here = new NetworkNamespace('here');
  readonly there = new NetworkNamespace('there');
  readonly bond: Bond;
  readonly far: Bond;
  readonly #object: XdpObject;
  readonly #ports: readonly Port[];

  private constructor(options: BondOptions) {
    this.#object = loadBonding();
    this.bond = this.here.addBond('bond0', options);
    this.far = this.there.addBond('bond0', options);
    for (const i of [0, 1]) {
      const [near, other] = this.here.addVeth(`a${i}`, { namespace: this.there, name: `b${i}` });
      this.bond.addPort(near);
      this.far.addPort(other);
    }
    this.bond.up();
    this.far.up();
    // LACPDUs and the like stay out.
    const filter = { ipProtocol: 17, dport: TEST_PORT };
    this.#ports = [0, 1].map((i) => this.there.interface(`b${i}`).open({ filter }));
  }

  /** With both bonds ready to carry traffic and the programs attached. */
  static async create(options: BondOptions): Promise<BondRig> {
    const rig = new BondRig(options);
    try {
      // Native on a bond means native on all of its ports, which also makes the veths take what XDP sends to them.
      rig.bond.attach(rig.#object.program('turn_round'));
      rig.far.attach(rig.#object.program('pass'));
      await rig.ready();
      return rig;
    } catch (error) {
      rig.close();
      throw error;
    }
  }

  async ready(ports = 2): Promise<void> {
    await this.bond.ready({ ports, timeoutMs: 60_000 });
    await this.far.ready({ ports, timeoutMs: 60_000 });
  }

  /**
   * Sends frames in at the first pair (or at the one `by` names), and tells which of them came back at each, by their places in the list and in
   * ascending order; -1 for a frame that is none of them.
   */
  async turnRound(frames: readonly Packet[], by = 0): Promise<number[][]> {
    const places = new Map(frames.map((frame, i) => [key(frame.bytes), i]));
    for (const port of this.#ports) port.take();
    this.#ports[by]!.send(...frames);
    const back: number[][] = [[], []];
    const deadline = performance.now() + 10_000;
    while (back.flat().length < frames.length && performance.now() < deadline) {
      await sleep(5);
      this.#ports.forEach((port, i) => {
        for (const frame of port.take().batch) back[i]!.push(places.get(key(frame)) ?? -1);
      });
    }
    return back.map((list) => list.sort((a, b) => a - b));
  }

  close(): void {
    this.here.close();
    this.there.close();
    this.#object.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
