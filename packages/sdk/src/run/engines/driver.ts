/**
 * The batch driver of a thread: loaded and parked at the first use, then reused for every program (a program's turn is
 * an entry in a prog array), and closed with the thread.
 */
import { XdpError } from '../../errors.ts';
import { errnoName } from '../../kernel/index.ts';
import { bundledBpfObject, type NativeHandle, native } from '../../native.ts';
import { mapHandle, programHandle, sectionHandle, XdpObject, type XdpProgram } from '../../object/index.ts';
import { park } from '../parking.ts';
import { DRIVER, MIN_DRIVER_PACKET_BYTES } from './driver-limits.ts';

/** What a prog array demands to be equal among its programs (bpf_prog_map_compatible in kernel/bpf/core.c). */
export interface DriverFlavour {
  readonly attachType: 'xdp' | 'none';
  readonly frags: boolean;
}

/** Kernel features that the driver is loaded for, the best first: the first that loads is taken. */
const variants = [
  { has_bulk_copy: true, has_task_redirect: true, has_cpu_redirect: false }, // 6.11
  { has_bulk_copy: true, has_task_redirect: false, has_cpu_redirect: true }, // 5.18
  { has_bulk_copy: true, has_task_redirect: false, has_cpu_redirect: false },
  { has_bulk_copy: false, has_task_redirect: false, has_cpu_redirect: true }, // 5.10
  { has_bulk_copy: false, has_task_redirect: false, has_cpu_redirect: false },
] as const;

/** A driver that is ready. */
export class BatchDriver {
  readonly program: NativeHandle;
  readonly memory: NativeHandle;
  /** Why it could not be parked, or undefined when it is. */
  readonly parkingRefused: string | undefined;
  /** Whether redirect targets can be told. */
  readonly tellsRedirects: boolean;
  readonly #slot: NativeHandle;
  #user: object | undefined;
  readonly #object: XdpObject;
  readonly #parked: NativeHandle | undefined;

  constructor(object: XdpObject, tellsRedirects: boolean) {
    const driver = object.program('driver');
    this.#object = object;
    this.#slot = mapHandle(object.map('target_slot'));
    this.program = programHandle(driver);
    this.memory = sectionHandle(object, '.bss');
    this.tellsRedirects = tellsRedirects;
    const parked = park(driver);
    this.#parked = 'refused' in parked ? undefined : parked;
    this.parkingRefused = 'refused' in parked ? parked.refused : undefined;
  }

  /**
   * Puts a program into the driver's slot, unless it is there for the same user. Runs that take turns on this thread
   * share the driver, so each aims it again before its slice.
   *
   * @param user what the program is aimed for; descriptors are reused and prove nothing
   * @throws XdpError `XDP_ENGINE_UNAVAILABLE` where the prog array refuses the program
   */
  aim(target: NativeHandle | number, user: object): void {
    const errno = this.tryAim(target, user);
    if (errno === 0) return;
    const what = `the batch driver refused the program: ${errnoName(errno)}`;
    throw new XdpError('XDP_ENGINE_UNAVAILABLE', what);
  }

  /** The same, with an error number or 0 for an answer. */
  tryAim(target: NativeHandle | number, user: object): number {
    if (this.#user === user) return 0;
    const fd = typeof target === 'number' ? target : native().handleNumber(target);
    const value = new Uint8Array(new Int32Array([fd]).buffer);
    const errno = -native().mapUpdate(this.#slot, new Uint8Array(4), value, 0);
    this.#user = errno === 0 ? user : undefined;
    return errno;
  }

  /** Aims it for one call alone. Throws as {@link aim}. */
  aimedAt<T>(target: NativeHandle, call: () => T): T {
    const user = {};
    this.aim(target, user);
    try {
      return call();
    } finally {
      this.release(user);
    }
  }

  /** Empties the slot if it is this user's, so that the driver keeps no program alive. */
  release(user: object): void {
    if (this.#user !== user) return;
    this.#user = undefined;
    native().mapDelete(this.#slot, new Uint8Array(4));
  }

  get isClosed(): boolean {
    return this.#object.isClosed;
  }

  close(): void {
    if (this.#parked !== undefined) native().closeHandle(this.#parked);
    this.#object.close();
  }
}

const drivers = new Map<string, BatchDriver | { readonly refused: string }>();
let variant = 0;

/** This thread's driver of a flavour, or why there can be none here. */
export function batchDriver(flavour: DriverFlavour): BatchDriver | { readonly refused: string } {
  const key = `${flavour.attachType} ${flavour.frags}`;
  let driver = drivers.get(key);
  if (driver === undefined) {
    driver = open(flavour);
    drivers.set(key, driver);
  }
  return driver;
}

/** Closes all drivers of this thread. */
export function closeDrivers(): void {
  for (const driver of drivers.values()) if (driver instanceof BatchDriver) driver.close();
  drivers.clear();
}

function open(flavour: DriverFlavour): BatchDriver | { readonly refused: string } {
  let refused = '';
  for (; variant < variants.length; variant++) {
    const features = variants[variant]!;
    try {
      const object = XdpObject.load(bundledBpfObject('driver'), {
        name: 'xdptest_driver',
        variables: features,
        programs: { driver: { frags: flavour.frags, expectedAttachType: flavour.attachType } },
      });
      const driver = new BatchDriver(object, features.has_task_redirect || features.has_cpu_redirect);
      const wrong = selfCheck(driver, flavour);
      if (wrong === undefined) return driver;
      driver.close();
      return { refused: wrong };
    } catch (error) {
      if (!(error instanceof XdpError)) throw error;
      refused = `the batch driver does not load: ${lastWords(error.message)}`;
    }
  }
  variant = 0;
  return { refused };
}

/** The line in which the verifier says what it refused, before its statistics. */
function lastWords(message: string): string {
  const lines = message.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('processed '));
  return lines.at(-1) ?? message;
}

/**
 * Packets through the driver with known results: a kernel that does tail calls otherwise is found out here. The target
 * moves the head by as much as the first word of the packet says and returns 0.
 */
function selfCheck(driver: BatchDriver, flavour: DriverFlavour): string | undefined {
  const target = bareTarget(flavour, undefined);
  if (typeof target === 'number')
    return `a program to check the driver with does not load: ${errnoName(-target)}`;
  const sizes = [DRIVER.maxPacketBytes, MIN_DRIVER_PACKET_BYTES, 64];
  const moves = [8, -20, 0];
  const bytes = new Uint8Array(4096);
  const words = new DataView(bytes.buffer);
  const offsets = Uint32Array.of(0, 3600, 3700);
  moves.forEach((move, i) => {
    words.setInt32(offsets[i]!, move, true);
  });
  const column = (): Uint32Array => new Uint32Array(sizes.length);
  const verdicts = column().fill(1);
  const outLengths = column();
  try {
    const slice = driver.aimedAt(target, () =>
      native().batchRunSlice({
        driver: driver.program,
        memory: driver.memory,
        flags: 0,
        bytes,
        offsets,
        lengths: Uint32Array.from(sizes),
        verdicts,
        outLengths,
        outOffsets: column(),
        outMetadata: column(),
        from: 0,
        to: sizes.length,
        sliceNs: 1e9,
        useContext: 0,
      }),
    );
    const right = sizes.every((size, i) => verdicts[i] === 0 && outLengths[i] === size - moves[i]!);
    if (slice.errno === 0 && slice.driverError === 0 && right) return undefined;
    return `the driver's self-check failed: ${errnoName(slice.errno)}, step ${slice.driverError}, verdicts ${verdicts.join(' ')}, lengths ${outLengths.join(' ')} for packets of ${sizes.join(', ')} bytes whose head is moved by ${moves.join(', ')}`;
  } catch (error) {
    if (error instanceof XdpError) return error.message;
    throw error;
  } finally {
    native().closeHandle(target);
  }
}

/** A program that returns `verdict`, or, without one, moves the head as the packet's first word says; else an error number, negative. */
export function bareTarget(flavour: DriverFlavour, verdict: number | undefined): NativeHandle | number {
  return native().loadBareProgram(flavour.frags ? 1 : 0, verdict, flavour.attachType === 'xdp' ? 1 : 0);
}

/** The flavours to try for a program, the likely one first: bpf_prog_info shows neither, but we loaded it ourselves. */
export function flavoursFor(program: XdpProgram): DriverFlavour[] {
  const attachType = program.attachType === 'none' ? 'none' : 'xdp';
  const other = attachType === 'none' ? 'xdp' : 'none';
  const { frags } = program;
  return [
    { attachType, frags },
    { attachType: other, frags },
  ];
}
