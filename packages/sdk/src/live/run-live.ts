/** runLive: frames through a program by BPF_F_TEST_XDP_LIVE_FRAMES, their verdicts really carried out. Kernel 5.18. */
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeValue, expectInteger, expectOptions, invalidArgument, XdpError } from '../errors.ts';
import { probeKernel, systemError, testRunLimits } from '../kernel/index.ts';
import { native } from '../native.ts';
import { programHandle, XdpProgram } from '../object/index.ts';
import { type PacketLike, packetBytes } from '../packet/index.ts';
import { interfacePlace, NetworkInterface } from './interface.ts';
import type { InterfaceCounters } from './netlink/links.ts';

/** Options of {@link runLive}. */
export interface RunLiveOptions {
  /** The interface that the frames seem to come from: PASS gives them to its stack, TX sends them out of it. */
  readonly on: NetworkInterface;
  /** How many frames. Default 1. */
  readonly repeat?: number;
  /** How many the program gets before any goes on. Default 64, at most 256. */
  readonly batchSize?: number;
  /** Interfaces elsewhere whose counters are to settle and be told, too. */
  readonly watch?: readonly NetworkInterface[];
  /** For all of it, until the counters rest. Default 10,000. */
  readonly timeoutMs?: number;
}

/** What {@link runLive} tells: the kernel gives no verdicts, so the counters have to. */
export interface LiveResult {
  readonly frames: number;
  /** Wall time of the running itself, without the waiting for the counters. */
  readonly elapsedNs: number;
  /** By how much the counters of each interface rose, by its name: those of the namespace, their other ends, `watch`. */
  readonly counters: ReadonlyMap<string, InterfaceCounters>;
}

const BPF_F_TEST_XDP_LIVE_FRAMES = 2;
/** struct xdp_page_head lies in front of the frame. */
const PAGE_HEAD_BYTES = 112;
const MOST_AT_ONCE = 65_536;
const { EINVAL, ENODEV } = constants.errno;
const known = ['on', 'repeat', 'batchSize', 'watch', 'timeoutMs'] as const;

/**
 * Runs copies of a frame through a program, and carries its verdicts out: XDP_PASS gives a frame to the stack of `on`,
 * XDP_TX sends it out of `on`, XDP_REDIRECT to where the program says. Resolves when the counters of all interfaces that
 * can be touched have come to rest. On a veth, the other end is made ready to take the frames.
 *
 * @throws XdpError `XDP_FEATURE_UNSUPPORTED` before 5.18; `XDP_PACKET_TOO_SHORT`, `XDP_PACKET_TOO_LONG`
 */
export async function runLive(
  program: XdpProgram,
  packet: PacketLike,
  options: RunLiveOptions,
): Promise<LiveResult> {
  if (!(program instanceof XdpProgram)) {
    throw invalidArgument(`runLive: expected an XdpProgram, got ${describeValue(program)}`);
  }
  const bytes = packetBytes(packet, 'runLive: packet');
  const checked = expectOptions('runLive', options, known);
  const { on, repeat = 1, batchSize = 64, watch = [], timeoutMs = 10_000 } = checked;
  if (!(on instanceof NetworkInterface)) {
    throw invalidArgument(`runLive: on must be an interface of a namespace, got ${describeValue(on)}`);
  }
  expectInteger('runLive: repeat', repeat, 1, 0x7fff_ffff);
  expectInteger('runLive: batchSize', batchSize, 1, 256);
  expectInteger('runLive: timeoutMs', timeoutMs, 1, 0x7fff_ffff);
  checkFrame(bytes, program);
  if (!on.state.up) throw invalidArgument(`runLive: ${on} is down: frames would be lost in silence`);
  on.peer?.acceptXdpFrames();
  const deadline = performance.now() + timeoutMs;
  const watched = watchedInterfaces(on, watch);
  const before = watched.map((one) => one.counters);
  const { core, index } = interfacePlace(on);
  let elapsedNs = 0;
  for (let done = 0; done < repeat; done += MOST_AT_ONCE) {
    const started = process.hrtime.bigint();
    const result = native().netnsRun(core.netns, {
      program: programHandle(program),
      packet: bytes,
      metadata: 0,
      repeat: Math.min(MOST_AT_ONCE, repeat - done),
      ingressIfindex: index,
      rxQueue: 0,
      flags: BPF_F_TEST_XDP_LIVE_FRAMES,
      batchSize,
    });
    elapsedNs += Number(process.hrtime.bigint() - started);
    if (result !== 0) throw liveError(-result, on, program, bytes.length);
    await sleep(0);
    if (performance.now() > deadline && done + MOST_AT_ONCE < repeat) throw outOfTime(timeoutMs, 'running');
  }
  const after = await settled(watched, deadline, timeoutMs);
  return {
    frames: repeat,
    elapsedNs,
    counters: new Map(watched.map((one, i) => [String(one), difference(before[i]!, after[i]!)])),
  };
}

function checkFrame(bytes: Uint8Array, program: XdpProgram): void {
  const limits = testRunLimits();
  if (!probeKernel().features.liveFrames) {
    throw new XdpError(
      'XDP_FEATURE_UNSUPPORTED',
      'runLive: this kernel has no live frames (BPF_F_TEST_XDP_LIVE_FRAMES, 5.18): attach the program and send frames from the other end',
    );
  }
  if (bytes.length < limits.minPacketBytes) {
    throw new XdpError(
      'XDP_PACKET_TOO_SHORT',
      `runLive: the frame has ${bytes.length} bytes, the kernel accepts no fewer than ${limits.minPacketBytes}`,
    );
  }
  const most = limits.maxLinearBytes - PAGE_HEAD_BYTES;
  if (bytes.length > most) {
    throw new XdpError(
      'XDP_PACKET_TOO_LONG',
      `runLive: the frame has ${bytes.length} bytes, program ${program.name} can be given at most ${most}: live frames have no fragments`,
    );
  }
}

/** Everything in the namespace, and the other ends of its pairs. */
function watchedInterfaces(on: NetworkInterface, more: readonly NetworkInterface[]): NetworkInterface[] {
  const own = [...interfacePlace(on).core.interfaces.values()];
  const peers = own.map((one) => one.peer).filter((one) => one !== undefined);
  return [...new Set([on, ...own, ...peers, ...more])];
}

const QUIET_READS = 4;
const READ_EVERY_MS = 2;

/** Frames to a veth wait in its ring until the kernel polls it: reads counters until they stay as they are. */
async function settled(
  watched: readonly NetworkInterface[],
  deadline: number,
  timeoutMs: number,
): Promise<InterfaceCounters[]> {
  let last = '';
  for (let quiet = 0; ; ) {
    const counters = watched.map((one) => one.counters);
    const now = JSON.stringify(counters);
    quiet = now === last ? quiet + 1 : 0;
    if (quiet >= QUIET_READS) return counters;
    if (performance.now() > deadline) throw outOfTime(timeoutMs, 'waiting for the counters to rest');
    last = now;
    await sleep(READ_EVERY_MS);
  }
}

function outOfTime(timeoutMs: number, doing: string): XdpError {
  return new XdpError('XDP_TIMEOUT', `runLive: ${timeoutMs} ms were over while ${doing}`);
}

function difference(before: InterfaceCounters, after: InterfaceCounters): InterfaceCounters {
  const names = Object.keys(after) as (keyof InterfaceCounters)[];
  return Object.fromEntries(
    names.map((name) => [name, after[name] - before[name]]),
  ) as unknown as InterfaceCounters;
}

function liveError(errno: number, on: NetworkInterface, program: XdpProgram, bytes: number): XdpError {
  const details = { syscall: 'BPF_PROG_TEST_RUN', errno };
  if (errno === ENODEV) return new XdpError('XDP_NO_SUCH_INTERFACE', `runLive: ${on} is gone`, details);
  const hint =
    errno === EINVAL
      ? `the kernel does not take ${program.name} with ${bytes} bytes as live frames on ${on}`
      : undefined;
  return systemError('runLive', 'BPF_PROG_TEST_RUN', errno, 'XDP_SYSCALL_FAILED', hint);
}
