/** The results of a run of many: columns, and a view of a packet's row when somebody asks for one. */
import { XdpError } from '../errors.ts';
import type { XdpProgram } from '../object/index.ts';
import { dissect, type FieldPath, type FieldValue, fieldReader, type Layer } from '../packet/index.ts';
import { actionOf, type XdpAction, xdpActions } from './actions.ts';
import type { ResultColumns } from './columns.ts';
import { countField } from './count-field.ts';
import { forgetOutputs } from './output-memory.ts';
import type { RunPlan } from './plan.ts';
import { type RedirectTarget, redirectTarget } from './redirect.ts';
import { giveMemory } from './shared-memory.ts';
import { type RunTiming, summarizeTiming } from './timing.ts';

/** What a RunResults is made of. */
export interface RunResultsParts {
  readonly columns: ResultColumns;
  readonly bytes: Uint8Array<SharedArrayBuffer> | undefined;
  readonly plan: RunPlan;
  readonly retries: number;
  readonly elapsedNs: number;
  readonly program: XdpProgram;
  /** What reading the clock costs; see `RunTiming`. */
  readonly baselineNs: number;
  /** Memory of this run alone, which `close` gives back. */
  readonly memory: readonly SharedArrayBuffer[];
}

/** What became of one packet of many: a view, valid as long as the results are kept. */
export interface PacketResult {
  /** The packet's place in the input. */
  readonly index: number;
  readonly verdict: number;
  /** The verdict's name, or the number itself when it is no XDP action. */
  readonly action: XdpAction | number;
  /** Length of the packet that came out, in bytes. */
  readonly length: number;
  /** The packet that came out; undefined with `outputs: 'verdicts'`. */
  readonly packet: Uint8Array | undefined;
  /** The metadata in front of it; undefined with `outputs: 'verdicts'`. */
  readonly metadata: Uint8Array | undefined;
  /** Its layers, dissected when asked for. Empty with `outputs: 'verdicts'`. */
  readonly layers: readonly Layer[];
  /** Where `XDP_REDIRECT` sends it; undefined where the kernel does not tell, or the batch engine did not run. */
  readonly redirect: RedirectTarget | undefined;
  /** One field of the packet that came out, such as `ipv4.dst`; undefined when it has no such layer. */
  get<P extends FieldPath>(path: P): FieldValue<P> | undefined;
}

/**
 * The results of {@link runMany}, in the order of the input.
 *
 * The columns are typed arrays with one element a packet; there is no object for a packet until one is asked for.
 */
export class RunResults implements Iterable<PacketResult> {
  /** The number of packets. */
  readonly length: number;
  /** How it was run, and why so. */
  readonly plan: RunPlan;
  /** How often a signal interrupted a run, so that it was made again. */
  readonly retries: number;
  /** Wall time of the running itself in nanoseconds, without checks and planning. */
  readonly elapsedNs: number;
  readonly #columns: ResultColumns;
  readonly #bytes: Uint8Array | undefined;
  #memory: readonly SharedArrayBuffer[] | undefined;
  readonly #program: XdpProgram;
  readonly #baselineNs: number;
  #timing: RunTiming | undefined;

  /** @internal */
  constructor(parts: RunResultsParts) {
    const { columns } = parts;
    this.length = columns.verdicts.length;
    this.plan = parts.plan;
    this.retries = parts.retries;
    this.elapsedNs = parts.elapsedNs;
    this.#columns = columns;
    this.#bytes = parts.bytes;
    this.#memory = parts.memory;
    this.#program = parts.program;
    this.#baselineNs = parts.baselineNs;
  }

  /** What the program returned for each packet. */
  get verdicts(): Uint32Array {
    return this.#open().verdicts;
  }

  /** Length of each packet that came out, in bytes, without metadata. */
  get lengths(): Uint32Array {
    return this.#open().lengths;
  }

  /** Length of the metadata in front of each packet; always 0 on kernels before 5.15. */
  get metadataLengths(): Uint32Array {
    return this.#open().metadataLengths;
  }

  /** Where each packet starts in `bytes`. Not in ascending order when several workers ran. */
  get offsets(): Uint32Array {
    return this.#open().offsets;
  }

  /** The output of packet i is bytes[offsets[i] .. offsets[i] + lengths[i]); undefined with `outputs: 'verdicts'`. */
  get bytes(): Uint8Array | undefined {
    this.#open();
    return this.#bytes;
  }

  /**
   * Gives the memory back for the next run, which then need not touch fresh memory; `using` does it by itself. Without
   * it the garbage collector frees it. Rows, packets and columns of these results must not be used afterwards: they
   * would show the next run's.
   */
  close(): void {
    if (this.#memory === undefined) return;
    forgetOutputs(this.#bytes?.byteLength ?? 0);
    giveMemory(this.#memory);
    this.#memory = undefined;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #open(): ResultColumns {
    if (this.#memory === undefined) throw new XdpError('XDP_CLOSED', 'these results were closed');
    return this.#columns;
  }

  /** Times of the packets, with `timing: true`; undefined otherwise. */
  get timing(): RunTiming | undefined {
    const { ns } = this.#open();
    if (ns === undefined) return undefined;
    this.#timing ??= summarizeTiming(ns, this.#baselineNs);
    return this.#timing;
  }

  /** Where packet `index` was redirected to, as {@link PacketResult.redirect}. */
  redirectOf(index: number): RedirectTarget | undefined {
    const { redirectMaps, redirectTargets } = this.#open();
    if (redirectMaps === undefined || redirectTargets === undefined) return undefined;
    return redirectTarget(this.#program, redirectMaps[index]!, redirectTargets[index]!);
  }

  /** The result of one packet; negative counts from the end; undefined outside. */
  at(index: number): PacketResult | undefined {
    const i = index < 0 ? this.length + index : index;
    return Number.isInteger(i) && i >= 0 && i < this.length ? new Row(this, i) : undefined;
  }

  *[Symbol.iterator](): Iterator<PacketResult> {
    for (let i = 0; i < this.length; i++) yield new Row(this, i);
  }

  /** How many packets got each verdict, by action name or by number. */
  countActions(): Map<XdpAction | number, number> {
    // Verdicts are actions but for bugs: a small array counts them faster than a map.
    const known = new Array<number>(xdpActions.length).fill(0);
    const others = new Map<number, number>();
    for (const verdict of this.verdicts) {
      if (verdict < known.length) known[verdict]! += 1;
      else others.set(verdict, (others.get(verdict) ?? 0) + 1);
    }
    const counts = new Map<XdpAction | number, number>();
    known.forEach((count, verdict) => {
      if (count > 0) counts.set(actionOf(verdict), count);
    });
    for (const [verdict, count] of others) counts.set(verdict, count);
    return counts;
  }

  /**
   * How many packets have each value of a field (`ipv4.dst`), or each key that a function gives; packets without one are
   * left out. A field is counted in the bytes, a million in some 10 ms; a function is called with each packet's row.
   */
  countBy<P extends FieldPath>(field: P): Map<NonNullable<FieldValue<P>>, number>;
  countBy<K>(key: (result: PacketResult) => K | undefined): Map<K, number>;
  countBy<K>(key: FieldPath | ((result: PacketResult) => K | undefined)): Map<K, number> {
    if (typeof key === 'string') return countField(this, key) as Map<K, number>;
    const counts = new Map<K, number>();
    for (const result of this) {
      const one = key(result);
      if (one !== undefined) counts.set(one, (counts.get(one) ?? 0) + 1);
    }
    return counts;
  }
}

class Row implements PacketResult {
  readonly #results: RunResults;
  readonly index: number;

  constructor(results: RunResults, index: number) {
    this.#results = results;
    this.index = index;
  }

  get verdict(): number {
    return this.#results.verdicts[this.index]!;
  }

  get action(): XdpAction | number {
    return actionOf(this.verdict);
  }

  get length(): number {
    return this.#results.lengths[this.index]!;
  }

  get packet(): Uint8Array | undefined {
    const offset = this.#results.offsets[this.index]!;
    return this.#results.bytes?.subarray(offset, offset + this.length);
  }

  get metadata(): Uint8Array | undefined {
    const offset = this.#results.offsets[this.index]!;
    return this.#results.bytes?.subarray(offset - this.#results.metadataLengths[this.index]!, offset);
  }

  get redirect(): RedirectTarget | undefined {
    return this.#results.redirectOf(this.index);
  }

  get<P extends FieldPath>(path: P): FieldValue<P> | undefined {
    return this.packet === undefined ? undefined : fieldReader(path)(this.packet);
  }

  get layers(): readonly Layer[] {
    return this.packet === undefined ? [] : dissect(this.packet).layers;
  }
}
