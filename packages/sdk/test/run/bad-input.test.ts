/** Bad input of every option: an error with a stable code before the kernel is asked, never a crash. */
import { describe, expect, test } from 'vitest';
import { type RunManyOptions, type RunOptions, runMany, runXdp, type XdpProgram } from 'xdptest';
import { PacketBatch } from 'xdptest/packet';
import { rejectionOf, thrownBy } from '../support/errors.ts';
import { action, load } from '../support/objects.ts';

const packet = new Uint8Array(64);
const noPrograms: readonly unknown[] = [undefined, null, 5, 'pass', {}, [], () => {}, Symbol('program')];
const noPackets: readonly unknown[] = [
  undefined,
  null,
  5,
  'packet',
  {},
  [1, 2, 3],
  new ArrayBuffer(64),
  new DataView(new ArrayBuffer(64)),
  new Uint16Array(64),
  new Uint8ClampedArray(64),
  { bytes: [1, 2, 3] },
  { bytes: 'packet' },
  Symbol('packet'),
];

describe('runXdp', () => {
  test.each(noPrograms.map((value) => [value]))('refuses %o as a program', (program) => {
    const error = thrownBy(() => runXdp(program as XdpProgram, packet));
    expect(error.code).toBe('XDP_INVALID_ARGUMENT');
    expect(error.message).toContain('XdpProgram');
  });

  test.each(noPackets.map((value) => [value]))('refuses %o as a packet', (value) => {
    const error = thrownBy(() => runXdp(action('pass'), value as Uint8Array));
    expect(error.code).toBe('XDP_INVALID_ARGUMENT');
  });

  test.each<[string, unknown]>([
    ['no object', 5],
    ['null', null],
    ['an array', []],
    ['an unknown option', { repeats: 5 }],
    ['repeat', { repeat: 0 }],
    ['repeat', { repeat: -1 }],
    ['repeat', { repeat: 1.5 }],
    ['repeat', { repeat: Number.NaN }],
    ['repeat', { repeat: Number.POSITIVE_INFINITY }],
    ['repeat', { repeat: 2 ** 31 }],
    ['repeat', { repeat: '5' }],
    ['repeat', { repeat: 5n }],
    ['timeoutMs', { timeoutMs: 0 }],
    ['timeoutMs', { timeoutMs: -1 }],
    ['timeoutMs', { timeoutMs: Number.POSITIVE_INFINITY }],
    ['timeoutMs', { timeoutMs: '1s' }],
    ['cpu', { cpu: -1 }],
    ['cpu', { cpu: 0.5 }],
    ['cpu', { cpu: 100_000 }],
    ['cpu', { cpu: null }],
    ['metadata', { metadata: [1, 2, 3, 4] }],
    ['metadata', { metadata: new Uint32Array(1) }],
    ['metadata', { metadata: 4 }],
    ['metadata', { metadata: null }],
    ['context', { context: 5 }],
    ['context', { context: null }],
    ['context', { context: { ifindex: 1 } }],
    ['context.ingressIfindex', { context: { ingressIfindex: -1 } }],
    ['context.ingressIfindex', { context: { ingressIfindex: 'lo' } }],
    ['context.ingressIfindex', { context: { ingressIfindex: 2 ** 31 } }],
    ['context.rxQueue', { context: { ingressIfindex: 1, rxQueue: -1 } }],
    ['context.rxQueue', { context: { ingressIfindex: 1, rxQueue: 2 ** 16 } }],
  ])('refuses %s: %o', (what, options) => {
    const object = load('actions');
    const error = thrownBy(() => runXdp(object.program('count'), packet, options as RunOptions));
    expect(error.code).toBe('XDP_INVALID_ARGUMENT');
    expect(error.syscall).toBeUndefined();
    expect(error.message).toContain('runXdp');
    if (/^[a-z]/i.test(what) && !what.includes(' ') && what !== 'null') expect(error.message).toContain(what);
    expect(object.variables.runs).toBe(0n);
  });

  test('takes undefined for every option, as if it were not there', () => {
    const options = {
      repeat: undefined,
      timeoutMs: undefined,
      cpu: undefined,
      metadata: undefined,
      context: undefined,
    };
    expect(runXdp(action('pass'), packet, options as never).action).toBe('XDP_PASS');
  });

  test('a packet whose memory was given away is too short', () => {
    const bytes = new Uint8Array(64);
    structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
    expect(thrownBy(() => runXdp(action('pass'), bytes)).code).toBe('XDP_PACKET_TOO_SHORT');
  });
});

describe('runMany', () => {
  test.each(noPrograms.map((value) => [value]))('refuses %o as a program', async (program) => {
    const error = await rejectionOf(runMany(program as XdpProgram, [packet]));
    expect(error.code).toBe('XDP_INVALID_ARGUMENT');
  });

  test.each([undefined, null, 5, 'packets', {}, new Uint8Array(64), () => {}].map((value) => [value]))(
    'refuses %o as packets',
    async (packets) => {
      const error = await rejectionOf(runMany(action('pass'), packets as never));
      expect(error.code).toBe('XDP_INVALID_ARGUMENT');
      expect(error.message).toContain('packets must be');
    },
  );

  test.each(noPackets.map((value) => [value]))(
    'refuses %o among the packets, with its place',
    async (value) => {
      const object = load('actions');
      const error = await rejectionOf(runMany(object.program('count'), [packet, value] as never));
      expect(error.code).toBe('XDP_INVALID_ARGUMENT');
      expect(error.message).toContain('packet 1');
      expect(object.variables.runs).toBe(0n);
    },
  );

  test.each<[string, unknown]>([
    ['no object', 5],
    ['null', null],
    ['an unknown option', { worker: 1 }],
    ['outputs', { outputs: 'all' }],
    ['outputs', { outputs: true }],
    ['workers', { workers: 0 }],
    ['workers', { workers: 1.5 }],
    ['workers', { workers: 257 }],
    ['workers', { workers: '2' }],
    ['engine', { engine: 'fast' }],
    ['engine', { engine: null }],
    ['signal', { signal: {} }],
    ['signal', { signal: new AbortController() }],
    ['onProgress', { onProgress: 'yes' }],
    ['verify', { verify: -0.1 }],
    ['verify', { verify: 2 }],
    ['verify', { verify: '0.1' }],
    ['timing', { timing: 1 }],
    ['timing', { timing: true, engine: 'syscall' }],
    ['headroom', { headroom: 'dirty' }],
    ['context', { context: { queue: 1 } }],
    ['context.rxQueue', { context: { rxQueue: 1 } }],
  ])('refuses %s: %o', async (what, options) => {
    const object = load('actions');
    const error = await rejectionOf(runMany(object.program('count'), [packet], options as RunManyOptions));
    expect(error.code).toBe('XDP_INVALID_ARGUMENT');
    expect(error.syscall).toBeUndefined();
    if (!what.includes(' ') && what !== 'null') expect(error.message).toContain(what);
    expect(object.variables.runs).toBe(0n);
  });

  test('what was checked cannot be changed while packets are collected', async () => {
    const options: { workers: number } = { workers: 1 };
    const slowly = async function* (): AsyncGenerator<Uint8Array> {
      yield packet;
      options.workers = -5;
      yield packet;
    };
    const results = await runMany(action('pass'), slowly(), options);
    expect(results.plan.workers).toBe(1);
  });
});

test.each<[string, () => unknown]>([
  ['offsets of another length', () => new PacketBatch(packet, new Uint32Array(2), new Uint32Array(1))],
  ['a packet beyond the end', () => new PacketBatch(packet, Uint32Array.of(60), Uint32Array.of(5))],
  [
    'an end that overflows 32 bits',
    () => new PacketBatch(packet, Uint32Array.of(0xffff_fff0), Uint32Array.of(64)),
  ],
  ['no bytes', () => new PacketBatch([] as never, new Uint32Array(0), new Uint32Array(0))],
  ['no columns', () => new PacketBatch(packet, [] as never, [] as never)],
  ['lengths that are none', () => PacketBatch.allocate([-1])],
  ['packets that are none', () => PacketBatch.from([{}] as never)],
])('a batch with %s is refused when it is made', (_, make) => {
  expect(thrownBy(make).code).toBe('XDP_INVALID_ARGUMENT');
});
