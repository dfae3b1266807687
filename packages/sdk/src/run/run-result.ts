/** What became of one packet. */
import { dissect, type Layer } from '../packet/index.ts';
import { actionOf, type XdpAction } from './actions.ts';
import type { RunContext } from './checks.ts';
import type { RedirectTarget } from './redirect.ts';

/** Everything that a result is made of. */
export interface RunResultParts {
  readonly verdict: number;
  readonly packet: Uint8Array;
  readonly metadata: Uint8Array;
  readonly context: Required<RunContext> | undefined;
  readonly durationNs: number;
  readonly retries: number;
  readonly input: Uint8Array;
  readonly inputMetadata: Uint8Array;
  readonly redirect: RedirectTarget | undefined;
}

/** The result of {@link runXdp}. */
export class RunResult {
  /** What the program returned: any 32-bit number. */
  readonly verdict: number;
  /** The packet as the program left it, without metadata. */
  readonly packet: Uint8Array;
  /** The metadata in front of it (bpf_xdp_adjust_meta), usually empty. Always empty on kernels before 5.15. */
  readonly metadata: Uint8Array;
  /** The context after the run; undefined on kernels before 5.15. */
  readonly context: Required<RunContext> | undefined;
  /** The kernel's own measure of a run, in whole nanoseconds; it may be 0, and at repeat 1 it includes the clock. */
  readonly durationNs: number;
  /** How often a signal interrupted the run, so that it was made again. */
  readonly retries: number;
  /**
   * Where `XDP_REDIRECT` sends the packet. Undefined where the kernel does not tell, and after runs with `metadata`,
   * `cpu`, `repeat` or a packet of more than 3,520 bytes.
   */
  readonly redirect: RedirectTarget | undefined;
  /** The packet that the program was given: the caller's bytes, not a copy. */
  readonly input: Uint8Array;
  /** Whether the program changed the packet or its metadata. */
  readonly changed: boolean;

  /** @internal */
  constructor(parts: RunResultParts) {
    this.verdict = parts.verdict;
    this.packet = parts.packet;
    this.metadata = parts.metadata;
    this.context = parts.context;
    this.durationNs = parts.durationNs;
    this.retries = parts.retries;
    this.redirect = parts.redirect;
    this.input = parts.input;
    this.changed = !sameBytes(parts.packet, parts.input) || !sameBytes(parts.metadata, parts.inputMetadata);
  }

  /** The verdict's name (`XDP_TX`), or the number itself when it is no XDP action. */
  get action(): XdpAction | number {
    return actionOf(this.verdict);
  }

  /** The layers of the packet that came out. */
  get layers(): readonly Layer[] {
    return dissect(this.packet).layers;
  }
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
