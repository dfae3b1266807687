/** Maps that are not tables: queues, ring buffers, filters, per-CPU maps, prog arrays and maps of maps. */
import { describe, expect, test } from 'vitest';
import { type BpfValue, probeKernel, runXdp, type XdpMap, type XdpObject } from 'xdptest';
import { thrownBy } from '../support/errors.ts';
import { missing } from '../support/missing.ts';
import { load } from '../support/objects.ts';

const packet = new Uint8Array(64);
const inner = { type: 'hash', keySizeBytes: 4, valueSizeBytes: 8, maxEntries: 3 } as const;
const maps = (): XdpObject => load('maps', { innerMaps: { outer_hash: inner } });
const { possible } = probeKernel().cpus;

test('a queue is first in, first out; a full one says so; clear empties it', () => {
  const fifo = maps().map('fifo').push(1).push(2);
  expect(thrownBy(() => fifo.push(3)).code).toBe('XDP_MAP_FULL');
  expect([fifo.pop(), fifo.pop(), fifo.pop()]).toEqual([1, 2, undefined]);
  expect(fifo.push(4).clear().pop()).toBeUndefined();
});

test('a stack is last in, first out', () => {
  const lifo = maps().map('lifo').push(1).push(2);
  expect([lifo.pop(), lifo.pop(), lifo.pop()]).toEqual([2, 1, undefined]);
});

test('what is pushed into a bloom filter, the program finds there; and it is for pushing only', ({
  skip,
}) => {
  skip(missing.bloomFilter !== undefined, missing.bloomFilter);
  const object = load('bloom');
  const seen = object.map('seen');
  expect(runXdp(object.program('look'), packet).action).toBe('XDP_PASS');
  seen.push(42);
  expect(runXdp(object.program('look'), packet).action).toBe('XDP_TX');
  for (const call of [() => seen.pop(), () => seen.clear()]) {
    const error = thrownBy(call);
    expect(error.code).toBe('XDP_MAP_OPERATION');
    expect(error.message).toContain('bloom_filter');
    expect(error.syscall).toBeUndefined();
  }
  for (const value of [undefined, null, 'x', [], -1, 2 ** 32, true]) {
    const error = thrownBy(() => seen.push(value as never));
    expect(error.code).toBe('XDP_VALUE_INVALID');
    expect(error.syscall).toBeUndefined();
  }
});

test('records of a ring buffer are taken out once, in order', () => {
  const object = maps();
  const events = object.map('events');
  expect(events.drain()).toEqual([]);
  for (let i = 0; i < 3; i++) runXdp(object.program('use_maps'), packet);
  const record = new Uint8Array([8, 7, 6, 5, 4, 3, 2, 1]);
  expect(events.drain()).toEqual([record, record, record]);
  expect(events.drain()).toEqual([]);
  // More than the buffer holds (16 bytes a record): the oldest ones stay, the program sees that it is full.
  runXdp(object.program('use_maps'), packet, { repeat: 10_000 });
  expect(events.drain().length).toBeLessThanOrEqual(65_536 / 16);
});

describe('a per-CPU map', () => {
  test('has a value for each possible CPU; a pinned run adds to its own CPU only', () => {
    const object = maps();
    const table = object.map('percpu_table');
    const cpu = possible - 1;
    runXdp(object.program('use_maps'), packet, { cpu });
    runXdp(object.program('use_maps'), packet, { cpu });
    const expected = Array.from({ length: possible }, (_, i) =>
      i === cpu ? { packets: 2n, bytes: 128n } : { packets: 0n, bytes: 0n },
    );
    expect(table.get(0)).toEqual(expected);
  });

  test('is summed member by member, whichever CPUs ran', () => {
    const object = maps();
    for (let cpu = 0; cpu < possible; cpu++) runXdp(object.program('use_maps'), packet, { cpu });
    expect(object.map('percpu_table').sum(0)).toEqual({
      packets: BigInt(possible),
      bytes: BigInt(64 * possible),
    });
  });

  test('keeps the values of the CPUs apart, where one is not a multiple of 8 bytes', () => {
    const odd = maps().map('percpu_hash');
    const values = Array.from({ length: possible }, (_, cpu) => ({
      bytes: new Uint8Array([cpu, 1, 2, 3, 255]),
    }));
    expect(odd.valueSizeBytes).toBe(5);
    odd.set(7, values);
    expect(odd.get(7)).toEqual(values);
    expect(odd.entries()).toEqual([[7, values]]);
    expect(odd.get(8)).toBeUndefined();
    expect(odd.sum(8)).toBeUndefined();
  });

  test('takes raw bytes of all CPUs, each rounded up to 8, and names that size otherwise', () => {
    const odd = maps().map('percpu_hash');
    const raw = Uint8Array.from({ length: 8 * possible }, (_, i) => i);
    odd.set(1, raw);
    const [first] = odd.get(1) as unknown as { bytes: Uint8Array }[];
    expect(first!.bytes).toEqual(new Uint8Array([0, 1, 2, 3, 4]));
    const error = thrownBy(() => odd.set(1, new Uint8Array(5)));
    expect(error.code).toBe('XDP_SIZE_MISMATCH');
    expect(error.message).toContain(`expected ${8 * possible} bytes`);
    expect(error.message).toContain('got 5');
  });

  test('refuses fewer values than there are CPUs', () => {
    const error = thrownBy(() => maps().map('percpu_table').set(0, []));
    expect(error.code).toBe('XDP_VALUE_INVALID');
    expect(error.message).toContain(`each of ${possible} possible CPUs`);
  });

  test('has no sum of values that are no numbers', () => {
    const odd = maps().map('percpu_hash');
    odd.set(
      1,
      Array.from({ length: possible }, () => ({ bytes: new Uint8Array(5) })),
    );
    expect(thrownBy(() => odd.sum(1)).code).toBe('XDP_VALUE_INVALID');
  });
});

describe('a prog array', () => {
  test('takes programs, gives their ids, and forgets them', () => {
    const object = maps();
    const jumps = object.map('jumps');
    const target = object.program('jump_target');
    expect(jumps.get(1)).toBeUndefined();
    jumps.set(1, target);
    expect(jumps.get(1)).toBe(target.id);
    expect(runXdp(object.program('use_maps'), packet).action).toBe('XDP_DROP');
    expect([jumps.delete(1), jumps.delete(1)]).toEqual([true, false]);
    expect(runXdp(object.program('use_maps'), packet).action).toBe('XDP_PASS');
  });

  test('takes a program of another object, which keeps running when that one is closed', () => {
    const object = maps();
    const other = load('actions');
    object.map('jumps').set(1, other.program('tx'));
    other.close();
    expect(runXdp(object.program('use_maps'), packet).action).toBe('XDP_TX');
    object.map('jumps').clear();
    expect(runXdp(object.program('use_maps'), packet).action).toBe('XDP_PASS');
  });

  test.each([[3], [new Uint8Array(4)], [undefined], [{}], ['jump_target']])(
    'refuses %j: a number would be taken for a descriptor',
    (value) => {
      const error = thrownBy(() =>
        maps()
          .map('jumps')
          .set(1, value as BpfValue),
      );
      expect(error.code).toBe('XDP_VALUE_INVALID');
      expect(error.message).toContain('XdpProgram');
    },
  );
});

describe('a map of maps', () => {
  test('takes inner maps made at run time, which the program then writes', () => {
    const object = maps();
    const outer = object.map('outer_array');
    expect([outer.has(0), outer.get(0)]).toEqual([false, undefined]);
    const made = outer.createInner();
    outer.set(0, made);
    runXdp(object.program('use_maps'), packet);
    expect(made.get(1)).toBe(1n);
    const again = outer.get(0) as unknown as XdpMap;
    expect(again.get(1)).toBe(1n);
    again.close();
    made.close();
    runXdp(object.program('use_maps'), packet);
    const kept = outer.get(0) as unknown as XdpMap;
    expect(kept.get(1)).toBe(2n);
    kept.close();
    expect(outer.delete(0)).toBe(true);
    expect(outer.keys()).toEqual([0, 1]);
    expect(outer.entries()).toEqual([]);
  });

  test('shows an inner map with the size that it was made with, not with that of the definition', () => {
    const outer = maps().map('outer_array');
    const made = outer.createInner({ maxEntries: 100 });
    outer.set(1, made);
    const seen = outer.get(1) as unknown as XdpMap;
    expect([made.maxEntries, seen.maxEntries]).toEqual([100, 100]);
    seen.set(99, 9n);
    expect(seen.keys()).toHaveLength(100);
    expect(made.get(99)).toBe(9n);
    seen.close();
    made.close();
  });

  test('gets the definition of its inner maps from the option where the object has none', () => {
    const object = maps();
    const outer = object.map('outer_hash');
    const made = outer.createInner();
    expect([made.type, made.keySizeBytes, made.valueSizeBytes, made.maxEntries]).toEqual(['hash', 4, 8, 3]);
    const key = new Uint8Array(4);
    made.set(key, new Uint8Array(8));
    outer.set(0, made);
    runXdp(object.program('use_maps'), packet);
    expect(made.get(key)).toEqual(new Uint8Array([1, 0, 0, 0, 0, 0, 0, 0]));
    expect(outer.keys()).toEqual([0]);
    expect(outer.delete(0)).toBe(true);
    made.close();
  });

  test('refuses a map of another shape', () => {
    const object = maps();
    const error = thrownBy(() => object.map('outer_array').set(0, object.map('table')));
    expect(error.syscall).toBe('BPF_MAP_UPDATE_ELEM');
    expect(error.message).toContain('outer_array');
  });

  test.each([[3], [new Uint8Array(4)], [undefined]])('refuses %j', (value) => {
    const error = thrownBy(() =>
      maps()
        .map('outer_array')
        .set(0, value as BpfValue),
    );
    expect(error.code).toBe('XDP_VALUE_INVALID');
    expect(error.message).toContain('XdpMap');
  });

  test('without a definition says how to give one', () => {
    const error = thrownBy(() => load('maps'));
    expect(error.code).toBe('XDP_LOAD_FAILED');
    expect(error.message).toContain('outer_hash');
  });
});
