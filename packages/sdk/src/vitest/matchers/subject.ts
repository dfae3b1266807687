/** What the matchers of packets are given, in one shape. */
import { describeValue, invalidArgument } from '../../errors.ts';
import { Packet, type PacketLike } from '../../packet/index.ts';
import {
  actionOf,
  type PacketResult,
  type RedirectTarget,
  RunResult,
  RunResults,
  xdpActions,
} from '../../run/index.ts';

/** One packet and what is known of it. */
export interface Subject {
  /** Undefined for a packet that was not run. */
  readonly verdict: number | undefined;
  /** The packet that came out; undefined with `outputs: 'verdicts'`. */
  readonly packet: PacketLike | undefined;
  /** The packet that went in, where that is known. */
  readonly input: Uint8Array | undefined;
  readonly redirect: RedirectTarget | undefined;
}

/** @throws XdpError `XDP_INVALID_ARGUMENT` for anything else than a result, an action or a packet */
export function subjectOf(matcher: string, received: unknown): Subject {
  if (received instanceof RunResult) return received;
  if (received instanceof Packet || received instanceof Uint8Array) {
    return { verdict: undefined, packet: received, input: undefined, redirect: undefined };
  }
  if (isRow(received)) {
    const { verdict, packet, redirect } = received;
    return { verdict, packet, input: undefined, redirect };
  }
  const verdict = typeof received === 'string' ? xdpActions.indexOf(received as never) : received;
  if (typeof verdict === 'number' && Number.isInteger(verdict) && verdict >= 0) {
    return { verdict, packet: undefined, input: undefined, redirect: undefined };
  }
  throw invalidArgument(
    `${matcher}: expect() needs the result of runXdp, a result of runMany, an action or a packet, got ${describeValue(received)}`,
  );
}

/** The verdict of a subject; an error for a packet that was not run. */
export function requireVerdict(matcher: string, subject: Subject): number {
  if (subject.verdict !== undefined) return subject.verdict;
  throw invalidArgument(`${matcher}: this is a packet, and was not run: give expect() the result of runXdp`);
}

export function requirePacket(matcher: string, subject: Subject): PacketLike {
  if (subject.packet !== undefined) return subject.packet;
  throw invalidArgument(
    `${matcher}: there is no packet in this result: run with outputs: 'packets' (the default)`,
  );
}

export function isResults(received: unknown): received is RunResults {
  return received instanceof RunResults;
}

function isRow(received: unknown): received is PacketResult {
  return received !== null && typeof received === 'object' && 'verdict' in received && 'action' in received;
}

/** A verdict for people. */
export function nameOf(verdict: number): string {
  return String(actionOf(verdict));
}
