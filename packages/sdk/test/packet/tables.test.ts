/** What is written twice for speed or by hand agrees with the tables of the headers. */
import { expect, test } from 'vitest';
import { layerKinds } from 'xdptest/packet';
import { findCodec } from '#dist/packet/layers/index.js';
import { readByTable, readLayer } from '#dist/packet/read-layer.js';
import { Random } from './support/random.ts';

const quick = layerKinds.filter((kind) => findCodec(kind)!.read !== undefined);

test('some kinds are read without their tables', () => {
  expect(quick).toContain('ipv4');
});

test.for(quick)('%s is read the same with and without its table', (kind) => {
  const random = new Random(6);
  const codec = findCodec(kind)!;
  const [table] = codec.tables;
  for (let i = 0; i < 500; i++) {
    const bytes = random.bytes(80);
    const span = {
      codec,
      table: table!,
      offset: 3,
      header: table!.length + (table!.tails.length > 0 ? 8 : 0),
      end: 80,
    };
    const plain = readByTable(bytes, span);
    expect(readLayer(bytes, span)).toEqual(plain);
    expect(Object.keys(readLayer(bytes, span))).toEqual(Object.keys(plain));
  }
});
