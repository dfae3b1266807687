/** A million dissections of bytes that are random, damaged or cut short. */
import { describe, expect, test } from 'vitest';
import { type DissectOptions, dissect, type Layer, layerKinds, type Packet, packet } from 'xdptest/packet';
import { patience, rounds } from '../support/emulation.ts';
import { combinations } from './support/combinations.ts';
import { Random } from './support/random.ts';

const every = combinations(2);
const sources = every.map(({ packet: built }) => built.bytes);

interface Hostile {
  readonly bytes: Uint8Array;
  readonly options: DissectOptions | undefined;
}

/** Random bytes for any first layer, or a good packet with a few bits flipped, perhaps cut short or with bytes added. */
function hostile(random: Random): Hostile {
  if (random.upTo(3) === 0)
    return { bytes: random.bytes(random.upTo(120)), options: { first: random.pick(layerKinds) } };
  const source = random.pick(sources);
  const length = random.upTo(3) === 0 ? random.upTo(source.length + 4) : source.length;
  const bytes = new Uint8Array(length);
  bytes.set(source.subarray(0, length));
  for (let flips = random.upTo(6); flips > 0 && length > 0; flips--)
    bytes[random.upTo(length - 1)]! ^= 1 << random.upTo(7);
  return { bytes, options: undefined };
}

/** Values that come from a byte that is not there. */
function isMissing(value: unknown): boolean {
  return (
    value === undefined || Number.isNaN(value) || (typeof value === 'string' && value.includes('undefined'))
  );
}

function missingField(layers: readonly Layer[]): string | undefined {
  for (const layer of layers)
    for (const [name, value] of Object.entries(layer)) if (isMissing(value)) return `${layer.kind}.${name}`;
  return undefined;
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

function expectSame(dissected: Packet, bytes: Uint8Array, parts: 'layers' | 'parts'): void {
  const built = packet(...(dissected[parts] as Packet['parts'])).bytes;
  if (Buffer.compare(built, bytes) !== 0) expect.fail(`${parts} of ${hex(bytes)} give ${hex(built)}`);
}

describe('dissecting whatever comes', () => {
  test(
    'a million times: nothing is thrown, and no value is missing',
    () => {
      const random = new Random(3);
      for (let i = 0; i < rounds(1_000_000, 10_000); i++) {
        const { bytes, options } = hostile(random);
        const { layers } = dissect(bytes, options);
        const missing = missingField(layers);
        if (missing !== undefined) expect.fail(`${missing} is missing in ${hex(bytes)}`);
      }
    },
    patience(240_000),
  );

  test(
    'and building the layers again gives the same bytes: every byte is in one layer',
    () => {
      const random = new Random(4);
      for (let i = 0; i < rounds(40_000, 1000); i++) {
        const { bytes, options } = hostile(random);
        const dissected = dissect(bytes, options);
        expectSame(dissected, bytes, 'layers');
        expectSame(dissected, bytes, 'parts');
      }
    },
    patience(240_000),
  );

  test('no byte past the end is asked for', () => {
    const random = new Random(5);
    for (let i = 0; i < rounds(20_000, 500); i++) {
      const { bytes, options } = hostile(random);
      const outside: string[] = [];
      const guarded = new Proxy(bytes, {
        get(target, name) {
          if (typeof name === 'string' && /^-?\d+$/.test(name) && !(Number(name) in target))
            outside.push(name);
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
      dissect(guarded, options).layers.length;
      if (outside.length > 0) expect.fail(`byte ${outside[0]} of ${bytes.length} in ${hex(bytes)}`);
    }
  });
});

test('nesting ends at 32 layers', () => {
  const label = [0x00, 0x01, 0x00, 0x40];
  const bytes = Uint8Array.from([
    ...new Array(12).fill(2),
    0x88,
    0x47,
    ...new Array(1000).fill(label).flat(),
  ]);
  const { layers } = dissect(bytes);
  expect(layers).toHaveLength(33);
  expect(layers.at(-1)).toMatchObject({ kind: 'raw', reason: 'more than 32 layers' });
});
