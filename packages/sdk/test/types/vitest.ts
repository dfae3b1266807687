/** Types of the vitest room, checked by tsc: nothing here runs. Lines that must not compile say so. */
import { type BpfInput, type XdpMap, XdpObject, type XdpObjectFile } from 'xdptest';
import { expect, expectTypeOf, type T, test, xdp } from 'xdptest/vitest';
import kinds, { type mode, type Schema, type vip_key } from '../gen/kinds.bpf.c';

expectTypeOf(kinds).toEqualTypeOf<XdpObjectFile<Schema>>();

const object = kinds.load({ variables: { backend_count: 3, mode: 'MODE_SLOW' }, maxEntries: { vips: 8 } });
expectTypeOf(object).toEqualTypeOf<XdpObject<Schema>>();
// @ts-expect-error there is no such variable
kinds.load({ variables: { backends: 3 } });
// @ts-expect-error there is no such enumerator
kinds.load({ variables: { mode: 'MODE_NONE' } });
// @ts-expect-error there is no such map
kinds.load({ maxEntries: { hosts: 8 } });
kinds.load({ programs: { first: { autoload: false } } });
// @ts-expect-error there is no such program
kinds.load({ programs: { third: { autoload: false } } });

// @ts-expect-error there is no such program
object.programs.third;
expectTypeOf(object.variables.packets).toEqualTypeOf<bigint>();
expectTypeOf(object.variables.mode).toEqualTypeOf<mode>();
object.variables.packets = 0n;

const { vips, hits, tables, programs } = object.maps;
vips.set({ addr: '192.0.2.1', port: 443, proto: 17 }, { id: 1, mac: '02:00:00:00:00:01' });
vips.set({ addr: 0xc0000201 }, { id: 1, mac: new Uint8Array(6) });
// @ts-expect-error a port is a number
vips.set({ port: '443' }, {});
// @ts-expect-error no such member
vips.set({ address: '192.0.2.1' }, {});
expectTypeOf(vips.get({ addr: '192.0.2.1' })?.id).toEqualTypeOf<number | undefined>();
expectTypeOf(vips.keys()).toEqualTypeOf<vip_key[]>();
expectTypeOf(hits.get(0)).toEqualTypeOf<readonly bigint[] | undefined>();
expectTypeOf(hits.sum(0)).toEqualTypeOf<bigint | undefined>();
expectTypeOf(tables.get(1)).toEqualTypeOf<XdpMap<number, vip_key> | undefined>();
programs.set(0, object.programs.first);
expectTypeOf<BpfInput<bigint>>().toEqualTypeOf<bigint | number>();

// Without types any name goes, and values are those that BTF can have.
const untyped = XdpObject.load('kinds.bpf.o', { variables: { anything: { at: 'all' } } });
expectTypeOf(untyped.programs.whatever).toEqualTypeOf<XdpObject['programs'][string] | undefined>();

test('matchers know the map', { requires: ['xdp.frags'] }, ({ t }) => {
  expectTypeOf(t).toEqualTypeOf<T>();
  const loaded = t.load(kinds, { variables: { backend_count: 1 }, scope: 'file' });
  expectTypeOf(loaded).toEqualTypeOf<XdpObject<Schema>>();
  expect(loaded.maps.vips).toHaveEntry({ addr: '192.0.2.1' }, { id: 1 });
  // @ts-expect-error the key of another map
  expect(loaded.maps.vips).toHaveEntry(1);
  expect(loaded.maps.hits).toHaveCount(0, 3);
  // @ts-expect-error a count is a number
  expect(loaded.maps.hits).toHaveCount(0, 'three');
  expect(1).toHaveVerdict('XDP_TX');
  // @ts-expect-error no such action
  expect(1).toHaveVerdict('XDP_FORWARD');
  expectTypeOf(t.run('sync', () => {})).toEqualTypeOf<boolean>();
  expectTypeOf(t.run('async', async () => {})).toEqualTypeOf<Promise<boolean>>();
});

// @ts-expect-error no such feature
test('no such feature', { requires: ['frags'] }, () => {});

test.for([1, 2])('%d', (n, { t }) => {
  expectTypeOf(n).toEqualTypeOf<number>();
  expectTypeOf(t).toEqualTypeOf<T>();
});

xdp({ cflags: ['-DDEBUG'], onUnprivileged: 'skip' });
// @ts-expect-error no such policy
xdp({ onUnprivileged: 'ignore' });
