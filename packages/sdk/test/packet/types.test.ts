/** What TypeScript knows of packets. */
import { describe, expectTypeOf, test } from 'vitest';
import {
  dissect,
  eth,
  fieldReader,
  type Ipv4,
  ipv4,
  type Layer,
  matchLayers,
  packet,
  payload,
  type Raw,
  type Tcp,
  tcp,
  udp,
} from 'xdptest/packet';

describe('types', () => {
  const built = packet(eth(), ipv4(), tcp(), payload('x'));

  test('each layer of a built packet has its own', () => {
    expectTypeOf(built.layers[1]).toEqualTypeOf<Ipv4>();
    expectTypeOf(built.layers[3]).toEqualTypeOf<Raw>();
    expectTypeOf(packet(eth(), built).layers[3]).toEqualTypeOf<Tcp>();
    expectTypeOf(built.with('ipv4.ttl', 3).layers[1].dst).toEqualTypeOf<string>();
  });

  test('kind tells the layers of a dissected packet apart', () => {
    const { layers } = dissect(built.bytes);
    expectTypeOf(layers).toEqualTypeOf<readonly Layer[]>();
    for (const layer of layers) if (layer.kind === 'tcp') expectTypeOf(layer).toEqualTypeOf<Tcp>();
    expectTypeOf(dissect(built.bytes).get('ipv4[1]')).toEqualTypeOf<Ipv4 | undefined>();
  });

  test('fields have the types of their values, and only those', () => {
    built.with('tcp.flags', ['SYN', 'ACK']);
    built.with({ 'ipv4[0]': { ttl: 3, checksum: 'auto' } });
    expectTypeOf(fieldReader('ipv4.dst')(built)).toEqualTypeOf<string | undefined>();
    expectTypeOf(fieldReader('ipv4[1].ttl')(built)).toEqualTypeOf<number | undefined>();
    const refused = () => {
      // @ts-expect-error a string for a number
      ipv4({ ttl: '3' });
      // @ts-expect-error no such field
      built.with('ipv4.port', 3);
      // @ts-expect-error a number for an address
      built.with('ipv4.dst', 3);
      // @ts-expect-error a field of another layer
      built.with({ ipv4: { dport: 3 } });
      // @ts-expect-error not a flag
      tcp({ flags: ['NOP'] });
      // @ts-expect-error no such field to match
      matchLayers(built, { udp: { port: 3 } });
      // @ts-expect-error layers are readonly
      packet(udp()).layers[0].dport = 3;
    };
    expectTypeOf(refused).toBeFunction();
  });
});
