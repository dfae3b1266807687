/**
 * One packet run again and again, for benchmarks: by the kernel's own repeat for a program that leaves the packet alone,
 * through the batch driver, which restores the packet, for one that changes it, and by single calls where there is none.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { XdpError } from '../errors.ts';
import { errnoName, probeKernel, testRunLimits } from '../kernel/index.ts';
import { type NativeHandle, native, RUN, testRun } from '../native.ts';
import { programHandle, type XdpProgram } from '../object/index.ts';
import { type PacketLike, packetBytes } from '../packet/index.ts';
import { batchSupport } from './batch-support.ts';
import { checkContext, type RunContext } from './checks.ts';
import { type BatchDriver, bareTarget, type DriverFlavour } from './engines/driver.ts';
import { DRIVER, fitsDriver, MIN_DRIVER_PACKET_BYTES } from './engines/driver-limits.ts';
import { park } from './parking.ts';
import { type EngineName, planRun } from './plan.ts';
import { runError, runXdp } from './run-xdp.ts';

/** Runs the packet so often and tells how long that took. */
export interface Repeater {
  readonly engine: EngineName;
  readonly changesPacket: boolean;
  readonly warnings: readonly string[];
  /** `empty`: a program that does nothing, in the same place. Wall time; the event loop gets its turn now and then. */
  run(
    what: 'program' | 'empty',
    runs: number,
  ): Promise<{ readonly elapsedNs: number; readonly retries: number }>;
  close(): void;
}

const XDP_PASS = 2;
/** A native call of at most about this long, after the first few have told how long a run takes. */
const SLICE_NS = 30e6;

/**
 * @throws XdpError as {@link runXdp}, and `XDP_ENGINE_UNAVAILABLE` for an engine that was asked for and cannot work
 */
export function openRepeater(
  program: XdpProgram,
  packet: PacketLike,
  options: { readonly engine: 'auto' | EngineName; readonly context?: RunContext },
): Repeater {
  const first = runXdp(program, packet, options.context === undefined ? {} : { context: options.context });
  const bytes = packetBytes(packet);
  const context = checkContext('benchXdp', options.context, testRunLimits());
  const support = batchSupport(program);
  const refused = 'refused' in support ? support.refused : notForDriver(bytes);
  if (options.engine === 'batch' && refused !== undefined) {
    throw new XdpError('XDP_ENGINE_UNAVAILABLE', `benchXdp: the batch engine cannot run this: ${refused}`);
  }
  const wantsBatch = options.engine === 'batch' || (options.engine === 'auto' && first.changed);
  if (wantsBatch && 'driver' in support && refused === undefined) {
    return new DriverRepeater(program, bytes, context, support.driver, support.flavour, first.changed);
  }
  return new SyscallRepeater(program, bytes, context, first.changed, refused);
}

function notForDriver(bytes: Uint8Array): string | undefined {
  if (fitsDriver(bytes.length)) return undefined;
  return `the packet has ${bytes.length} bytes, the driver takes ${MIN_DRIVER_PACKET_BYTES} to ${DRIVER.maxPacketBytes}`;
}

/** Slices that grow to SLICE_NS; between them the event loop gets its turn, whose time does not count. */
async function sliced(
  runs: number,
  call: (runs: number) => { elapsedNs: number; retries: number },
): Promise<{ elapsedNs: number; retries: number }> {
  let elapsedNs = 0;
  let retries = 0;
  for (let done = 0, size = 1; done < runs; ) {
    const now = Math.min(size, runs - done);
    const one = call(now);
    elapsedNs += one.elapsedNs;
    retries += one.retries;
    done += now;
    const perRun = Math.max(one.elapsedNs / now, 1);
    size = Math.max(1, Math.min(size * 100, Math.floor(SLICE_NS / perRun)));
    if (done < runs) await nextTurn();
  }
  return { elapsedNs, retries };
}

/** An empty program of a flavour, which closes with its repeater. */
function emptyProgram(flavour: DriverFlavour): NativeHandle {
  const empty = bareTarget(flavour, XDP_PASS);
  if (typeof empty !== 'number') return empty;
  throw new XdpError('XDP_SYSCALL_FAILED', `benchXdp: an empty program does not load: ${errnoName(-empty)}`);
}

class DriverRepeater implements Repeater {
  readonly engine = 'batch';
  readonly changesPacket: boolean;
  readonly warnings: readonly string[];
  readonly #program: XdpProgram;
  readonly #packet: Uint8Array;
  readonly #context: Required<RunContext>;
  readonly #driver: BatchDriver;
  readonly #empty: NativeHandle;

  constructor(
    program: XdpProgram,
    packet: Uint8Array,
    context: Required<RunContext>,
    driver: BatchDriver,
    flavour: DriverFlavour,
    changesPacket: boolean,
  ) {
    this.#program = program;
    this.#packet = packet;
    this.#context = context;
    this.#driver = driver;
    this.#empty = emptyProgram(flavour);
    this.changesPacket = changesPacket;
    this.warnings = [
      ...(changesPacket
        ? ['the program changes the packet: it is restored for every run, which is part of the time']
        : []),
      ...(driver.parkingRefused === undefined
        ? []
        : [
            `the driver is not parked (${driver.parkingRefused}): each call of ${DRIVER.packets} runs rewrites the dispatcher`,
          ]),
    ];
  }

  run(what: 'program' | 'empty', runs: number): Promise<{ elapsedNs: number; retries: number }> {
    const target = what === 'empty' ? this.#empty : programHandle(this.#program);
    return sliced(runs, (now) => {
      const result = this.#driver.aimedAt(target, () =>
        native().batchRepeat({
          ...this.#context,
          driver: this.#driver.program,
          memory: this.#driver.memory,
          packet: this.#packet,
          runs: now,
          flags: 0,
          useContext: testRunLimits().context ? 1 : 0,
        }),
      );
      if (result.errno !== 0) {
        throw runError(
          'benchXdp',
          { program: this.#program, context: this.#context },
          result.errno,
          result.retries,
        );
      }
      if (result.driverError !== 0) {
        throw new XdpError(
          'XDP_ENGINE_UNAVAILABLE',
          `benchXdp: the batch driver gave up (step ${result.driverError})`,
        );
      }
      return result;
    });
  }

  close(): void {
    native().closeHandle(this.#empty);
  }
}

class SyscallRepeater implements Repeater {
  readonly engine = 'syscall';
  readonly changesPacket: boolean;
  readonly warnings: readonly string[];
  readonly #program: XdpProgram;
  readonly #packet: Uint8Array;
  readonly #context: Required<RunContext>;
  readonly #empty: NativeHandle;
  readonly #parked: NativeHandle[] = [];
  readonly #mostRepeat: number;
  readonly #result = new Uint32Array(RUN.length);

  constructor(
    program: XdpProgram,
    packet: Uint8Array,
    context: Required<RunContext>,
    changesPacket: boolean,
    batchRefused: string | undefined,
  ) {
    this.#program = program;
    this.#packet = packet;
    this.#context = context;
    this.changesPacket = changesPacket;
    this.#empty = emptyProgram({ attachType: 'xdp', frags: false });
    const warnings: string[] = [];
    const plan = planRun(
      { runs: 1e9, distinct: false, changesPacket, largestBytes: packet.length, outputs: 'verdicts' },
      probeKernel(),
    );
    this.#mostRepeat = plan.repeat === 1 ? 1 : 0x7fff_ffff;
    if (changesPacket) {
      const why =
        batchRefused === undefined ? 'the batch engine was not wanted' : `no batch engine: ${batchRefused}`;
      warnings.push(
        `the program changes the packet, so every run is a system call of its own, whose time is included (${why})`,
      );
    }
    if (plan.parked) {
      for (const target of [programHandle(program), this.#empty]) {
        const parked = park(target);
        if ('refused' in parked)
          warnings.push(
            `not parked (${parked.refused}): calls rewrite the dispatcher, whose time is included`,
          );
        else this.#parked.push(parked);
      }
    }
    this.warnings = warnings;
  }

  run(what: 'program' | 'empty', runs: number): Promise<{ elapsedNs: number; retries: number }> {
    const program = what === 'empty' ? this.#empty : programHandle(this.#program);
    const call = {
      ...this.#context,
      program,
      packet: this.#packet,
      useContext: testRunLimits().context ? 1 : 0,
    };
    return sliced(runs, (now) => {
      let retries = 0;
      const started = process.hrtime.bigint();
      for (let left = now; left > 0; ) {
        const repeat = Math.min(left, this.#mostRepeat);
        testRun({ ...call, repeat }, this.#result);
        const errno = this.#result[RUN.errno]!;
        retries += this.#result[RUN.retries]!;
        if (errno !== 0)
          throw runError('benchXdp', { program: this.#program, context: this.#context }, errno, retries);
        left -= repeat;
      }
      return { elapsedNs: Number(process.hrtime.bigint() - started), retries };
    });
  }

  close(): void {
    for (const parked of this.#parked) native().closeHandle(parked);
    native().closeHandle(this.#empty);
  }
}
