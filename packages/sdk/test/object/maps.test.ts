/** Hash, array, LRU and LPM maps: reading, writing and iterating from outside of the kernel. */
import { describe, expect, test } from 'vitest';
import { type BpfValue, runXdp, XdpMap, type XdpObject } from 'xdptest';
import { thrownBy } from '../support/errors.ts';
import { load } from '../support/objects.ts';

const inner = { type: 'hash', keySizeBytes: 4, valueSizeBytes: 8, maxEntries: 3 } as const;
const maps = (options = {}): XdpObject => load('maps', { innerMaps: { outer_hash: inner }, ...options });

describe('a hash map', () => {
  const key = (port: number): BpfValue => ({ saddr: '192.0.2.1', sport: port, proto: 17 });
  const value = (packets: bigint): BpfValue => ({ packets, bytes: packets * 64n });

  test('is empty at first, and gives back what was set', () => {
    const flows = maps().map('flows');
    expect(flows.get(key(80))).toBeUndefined();
    expect(flows.has(key(80))).toBe(false);
    expect(flows.set(key(80), value(1n))).toBe(flows);
    expect(flows.get(key(80))).toEqual({ packets: 1n, bytes: 64n });
    expect(flows.has(key(80))).toBe(true);
  });

  test('decodes keys in host order, and lists them all', () => {
    const flows = maps().map('flows');
    flows.setMany([80, 443, 53].map((port) => [key(port), value(BigInt(port))]));
    expect(
      flows
        .keys()
        .map((k) => (k as { sport: number }).sport)
        .sort((a, b) => a - b),
    ).toEqual([53, 80, 443]);
    expect(flows.entries()).toContainEqual([
      { saddr: 0xc000_0201, sport: 443, proto: 17, pad: 0 },
      { packets: 443n, bytes: 443n * 64n },
    ]);
  });

  test('deletes, and says whether there was something to delete', () => {
    const flows = maps().map('flows').set(key(80), value(1n));
    expect([flows.delete(key(80)), flows.delete(key(80)), flows.has(key(80))]).toEqual([true, false, false]);
  });

  test('has modes of writing', () => {
    const flows = maps().map('flows');
    expect(thrownBy(() => flows.set(key(1), value(1n), { mode: 'exist' })).code).toBe('XDP_NOT_FOUND');
    flows.set(key(1), value(1n), { mode: 'create' });
    const again = thrownBy(() => flows.set(key(1), value(2n), { mode: 'create' }));
    expect(again.code).toBe('XDP_VALUE_INVALID');
    expect(again.message).toContain('exists already');
    flows.set(key(1), value(3n), { mode: 'exist' });
    expect(flows.get(key(1))).toEqual(value(3n));
  });

  test('that is full says so, with its size and how many entries were written', () => {
    const flows = maps().map('flows');
    const entries = [1, 2, 3, 4, 5, 6].map((port) => [key(port), value(1n)] as const);
    const error = thrownBy(() => flows.setMany(entries));
    expect(error.code).toBe('XDP_MAP_FULL');
    expect(error.message).toContain('room for 4 entries');
    expect(error.message).toContain('4 of 6 entries');
    expect(thrownBy(() => flows.set(key(9), value(1n))).code).toBe('XDP_MAP_FULL');
    // An entry that exists can be replaced all the same.
    flows.set(key(1), value(7n));
  });

  test('can be deleted from while it is iterated: keys are collected first', () => {
    const many = maps().map('many');
    many.setMany(Array.from({ length: 5000 }, (_, i) => [i, BigInt(i)] as const));
    let seen = 0;
    for (const one of many.keys()) {
      expect(many.delete(one)).toBe(true);
      seen++;
    }
    expect(seen).toBe(5000);
    expect(many.keys()).toEqual([]);
  });

  test('is cleared at once', () => {
    const flows = maps().map('flows').set(key(1), value(1n)).set(key(2), value(2n));
    expect(flows.clear().keys()).toEqual([]);
    expect(flows.clear().entries()).toEqual([]);
  });
});

test('65,537 entries are filled in one native call, and come back', () => {
  const many = maps().map('many');
  const entries = Array.from({ length: 65_537 }, (_, i) => [i * 3, BigInt(i) << 20n] as const);
  many.setMany(entries);
  const back = new Map(many.entries() as [number, bigint][]);
  expect(back.size).toBe(65_537);
  expect(entries.every(([k, v]) => back.get(k) === v)).toBe(true);
  expect(many.clear().keys()).toHaveLength(0);
});

describe('an array', () => {
  test('has all its entries from the start, zeroed, and never loses one', () => {
    const table = maps({ maxEntries: { table: 3 } }).map('table');
    expect(table.maxEntries).toBe(3);
    expect(table.entries()).toEqual([
      [0, 0],
      [1, 0],
      [2, 0],
    ]);
    const error = thrownBy(() => table.delete(1));
    expect(error.code).toBe('XDP_MAP_OPERATION');
    expect(error.message).toContain('clear()');
    table.setMany([
      [0, 10],
      [2, 12],
    ]);
    expect(table.clear().entries()).toEqual([
      [0, 0],
      [1, 0],
      [2, 0],
    ]);
  });

  test.each([
    ['a number', 65_537],
    ['raw bytes', new Uint8Array([1, 0, 1, 0])],
    ['a bigint', 65_537n],
  ])('refuses an index out of range as %s: it is not full', (_, index) => {
    const table = maps().map('table');
    for (const call of [
      () => table.get(index),
      () => table.has(index),
      () => table.set(index, 1),
      () => table.setMany([[index, 1]]),
    ]) {
      const error = thrownBy(call);
      expect(error.code).toBe('XDP_VALUE_INVALID');
      expect(error.message).toContain('index 65537 is out of range');
      expect(error.syscall).toBeUndefined();
    }
  });
});

test('an LRU map drops old entries in place of being full', () => {
  const lru = maps({ maxEntries: { lru: 1024 } }).map('lru');
  lru.setMany(Array.from({ length: 20_000 }, (_, i) => [i, i] as const));
  const left = lru.keys().length;
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(1024);
});

test('an LPM trie finds the longest prefix, and lists the prefixes', () => {
  const routes = maps().map('routes');
  routes.set({ length: 8, address: '10.0.0.0' }, 8);
  routes.set({ length: 24, address: '10.1.2.0' }, 24);
  expect(routes.get({ length: 32, address: '10.1.2.3' })).toBe(24);
  expect(routes.get({ length: 32, address: '10.9.9.9' })).toBe(8);
  expect(routes.get({ length: 32, address: '11.0.0.1' })).toBeUndefined();
  expect(routes.keys()).toHaveLength(2);
  expect(routes.delete({ length: 24, address: '10.1.2.0' })).toBe(true);
  expect(routes.get({ length: 32, address: '10.1.2.3' })).toBe(8);
});

test('a device map takes a struct value, and sends the packet there', () => {
  const object = maps();
  const loopback = { ifindex: 1, program: 0 };
  for (const name of ['devices', 'devices_hash']) {
    object.map(name).set(0, { ifindex: 1 });
    expect(object.map(name).get(0)).toEqual(loopback);
    expect(object.map(name).delete(0)).toBe(true);
  }
  expect(runXdp(object.program('to_device'), new Uint8Array(64)).action).toBe('XDP_DROP');
  object.map('devices').set(0, { ifindex: 1 });
  expect(runXdp(object.program('to_device'), new Uint8Array(64)).action).toBe('XDP_REDIRECT');
  expect(thrownBy(() => object.map('devices').set(0, { ifindex: 999_999 })).code).toBe('XDP_SYSCALL_FAILED');
});

describe('sizes that do not fit', () => {
  test.each([
    ['a key', (o: XdpObject) => o.map('many').set(new Uint8Array(3), 1n), 'expected 4 bytes, got 3'],
    ['a value', (o: XdpObject) => o.map('many').set(1, new Uint8Array(9)), 'expected 8 bytes, got 9'],
    ['a key to read', (o: XdpObject) => o.map('many').get(new Uint8Array(5)), 'expected 4 bytes, got 5'],
    ['a key among many', (o: XdpObject) => o.map('many').setMany([[new Uint8Array(0), 1n]]), 'got 0'],
  ])('%s: the error has both sizes', (_, call, words) => {
    const error = thrownBy(() => call(maps()));
    expect(error.code).toBe('XDP_SIZE_MISMATCH');
    expect(error.message).toContain(words);
  });
});

describe('a closed map', () => {
  test('names itself, whatever is asked of it', () => {
    const object = maps();
    const { flows, jumps, fifo, events, outer_array: outer, percpu_table: perCpu } = object.maps;
    const program = object.program('jump_target');
    object.close();
    const key = { saddr: 0, sport: 0, proto: 0 };
    const calls: [string, () => unknown][] = [
      ['flows', () => flows!.get(key)],
      ['flows', () => flows!.has(key)],
      ['flows', () => flows!.set(key, {})],
      ['flows', () => flows!.setMany([[key, {}]])],
      ['flows', () => flows!.delete(key)],
      ['flows', () => flows!.keys()],
      ['flows', () => flows!.entries()],
      ['flows', () => flows!.clear()],
      ['flows', () => flows!.pin('/nowhere')],
      ['fifo', () => fifo!.push(1)],
      ['fifo', () => fifo!.pop()],
      ['events', () => events!.drain()],
      ['outer_array', () => outer!.createInner()],
      ['percpu_table', () => perCpu!.sum(0)],
    ];
    for (const [name, call] of calls) {
      const error = thrownBy(call);
      expect(error.code).toBe('XDP_CLOSED');
      expect(error.message).toContain(`map ${name} was closed`);
      expect(error.message).not.toContain('fd -1');
    }
    expect(thrownBy(() => jumps!.set(0, program)).code).toBe('XDP_CLOSED');
  });

  test('is closed twice without harm, before or after its object', () => {
    const object = maps();
    const { flows } = object.maps;
    flows!.close();
    flows!.close();
    object.close();
    object.close();
    flows!.close();
    expect(flows).toBeInstanceOf(XdpMap);
  });
});

describe('an operation that a type lacks', () => {
  test.each<[string, string, (o: XdpObject) => unknown]>([
    ['queue', 'get', (o) => o.map('fifo').get(0)],
    ['queue', 'has', (o) => o.map('fifo').has(0)],
    ['queue', 'set', (o) => o.map('fifo').set(0, 1)],
    ['queue', 'setMany', (o) => o.map('fifo').setMany([[0, 1]])],
    ['queue', 'keys', (o) => o.map('fifo').keys()],
    ['queue', 'entries', (o) => o.map('fifo').entries()],
    ['queue', 'delete', (o) => o.map('fifo').delete(0)],
    ['hash', 'push', (o) => o.map('flows').push({})],
    ['hash', 'pop', (o) => o.map('flows').pop()],
    ['hash', 'drain', (o) => o.map('flows').drain()],
    ['hash', 'sum', (o) => o.map('flows').sum({ saddr: 0, sport: 0, proto: 0 })],
    ['hash', 'createInner', (o) => o.map('flows').createInner()],
    ['ringbuf', 'push', (o) => o.map('events').push(1)],
    ['ringbuf', 'clear', (o) => o.map('events').clear()],
  ])('%s has no %s, and says so before any system call', (type, _, call) => {
    const error = thrownBy(() => call(maps()));
    expect(error.code).toBe('XDP_MAP_OPERATION');
    expect(error.message).toContain(type);
    expect(error.syscall).toBeUndefined();
  });
});
