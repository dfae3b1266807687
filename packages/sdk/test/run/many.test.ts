/** Runs of many packets: every source gives the same results, in the order of the packets, whoever ran them. */
import { describe, expect, test } from 'vitest';
import { type EngineName, runMany } from 'xdptest';
import { PacketBatch } from 'xdptest/packet';
import { action, load } from '../support/objects.ts';

const COUNT = 40_000;
/** Packets that can be told apart by their verdict, their bytes and their length. */
const packets = Array.from({ length: COUNT }, (_, i) =>
  Uint8Array.from({ length: 14 + (i % 50) }, (_, j) => (j < 2 ? i >> (8 * j) : i % 256)),
);

function expectInOrder(results: Awaited<ReturnType<typeof runMany>>): void {
  expect(results.length).toBe(COUNT);
  let wrong = 0;
  for (const { index, packet, verdict, length } of results) {
    const [a, b] = packets[index]!;
    const expected = packets[index]!.slice();
    [expected[0], expected[1]] = [b!, a!];
    if (verdict !== (a! + b!) % 5 || length !== expected.length || Buffer.compare(packet!, expected) !== 0)
      wrong++;
  }
  expect(wrong).toBe(0);
}

describe.each<EngineName>(['syscall', 'batch'])('engine %s', (engine) => {
  test.each([1, 2, 3])('with %i workers', async (workers) => {
    const results = await runMany(action('by_content'), packets, { engine, workers });
    expect(results.plan).toMatchObject({ engine, workers });
    expectInOrder(results);
  });
});

describe('a source', () => {
  test('may be an iterable', async () => {
    const source = function* (): Generator<Uint8Array> {
      yield* packets;
    };
    expectInOrder(await runMany(action('by_content'), source()));
  });

  test('may be an async iterable', async () => {
    const source = async function* (): AsyncGenerator<Uint8Array> {
      yield* packets;
    };
    expectInOrder(await runMany(action('by_content'), source()));
  });

  test('may be built packets: anything that has bytes', async () => {
    expectInOrder(
      await runMany(
        action('by_content'),
        packets.map((bytes) => ({ bytes })),
      ),
    );
  });

  test('may be a batch, which is used in place', async () => {
    expectInOrder(await runMany(action('by_content'), PacketBatch.from(packets)));
  });

  test.each([1, 3])('may be a batch in memory that is not shared (%i workers)', async (workers) => {
    const shared = PacketBatch.from(packets);
    const batch = new PacketBatch(
      new Uint8Array(shared.bytes),
      new Uint32Array(shared.offsets),
      new Uint32Array(shared.lengths),
    );
    expect(batch.bytes.buffer).toBeInstanceOf(ArrayBuffer);
    expectInOrder(await runMany(action('by_content'), batch, { workers }));
  });

  test('may be a batch whose packets lie in any order, with gaps, or over one another', async () => {
    const bytes = Uint8Array.from({ length: 100 }, (_, i) => i);
    const batch = new PacketBatch(bytes, Uint32Array.of(50, 0, 1, 50), Uint32Array.of(20, 30, 14, 20));
    const results = await runMany(action('by_content'), batch);
    expect([...results].map(({ packet }) => packet![1])).toEqual([50, 0, 1, 50]);
    expect(bytes).toEqual(Uint8Array.from({ length: 100 }, (_, i) => i));
  });

  test.each<EngineName>(['syscall', 'batch'])('may be empty (engine %s)', async (engine) => {
    const results = await runMany(action('pass'), [], { engine });
    expect([results.length, [...results], results.at(0), results.countActions().size]).toEqual([
      0,
      [],
      undefined,
      0,
    ]);
  });

  test('that fails passes its error on, and is told to end', async () => {
    let ended = false;
    const source = async function* (): AsyncGenerator<Uint8Array> {
      try {
        yield packets[0]!;
        yield 'no packet' as never;
      } finally {
        ended = true;
      }
    };
    await expect(runMany(action('pass'), source())).rejects.toMatchObject({ code: 'XDP_INVALID_ARGUMENT' });
    expect(ended).toBe(true);
    const broken = async function* (): AsyncGenerator<Uint8Array> {
      yield packets[0]!;
      throw new RangeError('the source');
    };
    await expect(runMany(action('pass'), broken())).rejects.toThrow(RangeError);
  });
});

describe('results', () => {
  test('are read from both ends, and are nothing outside', async () => {
    const results = await runMany(action('by_content'), packets.slice(0, 10));
    expect(results.at(-1)!.index).toBe(9);
    expect(results.at(3)!.packet).toHaveLength(17);
    expect([10, -11, 1.5, Number.NaN].map((i) => results.at(i))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('are counted by action and by any key', async () => {
    const results = await runMany(action('by_content'), packets.slice(0, 5));
    expect([...results.countActions().values()].reduce((a, b) => a + b)).toBe(5);
    expect(results.countBy(({ index }) => (index === 0 ? undefined : index % 2))).toEqual(
      new Map([
        [1, 2],
        [0, 2],
      ]),
    );
  });

  test.each(['syscall', 'batch'] as const)(
    'of verdicts only are the same, without bytes (engine %s)',
    async (engine) => {
      const program = action('by_content');
      const whole = await runMany(program, packets, { engine });
      const verdicts = await runMany(program, packets, { engine, outputs: 'verdicts' });
      expect(Buffer.compare(Buffer.from(verdicts.verdicts.buffer), Buffer.from(whole.verdicts.buffer))).toBe(
        0,
      );
      expect(Buffer.compare(Buffer.from(verdicts.lengths.buffer), Buffer.from(whole.lengths.buffer))).toBe(0);
      expect(verdicts.bytes).toBeUndefined();
    },
  );
});

test('runs at the same time, of one program and of several, do not disturb each other', async () => {
  const programs = [action('by_content'), action('by_content')];
  const all = await Promise.all(
    [0, 1, 0, 1].map((which, i) =>
      runMany(programs[which]!, packets, { workers: 1 + (i % 3), engine: i < 2 ? 'batch' : 'syscall' }),
    ),
  );
  for (const results of all) expectInOrder(results);
});

test('closing the object during a run does it no harm: the run has a descriptor of its own', async () => {
  const object = load('actions');
  const running = runMany(object.program('by_content'), packets, { workers: 2 });
  object.close();
  expectInOrder(await running);
});

test('closing the object while packets are still collected does no harm either', async () => {
  const object = load('actions');
  const source = async function* (): AsyncGenerator<Uint8Array> {
    object.close();
    yield* packets;
  };
  expectInOrder(await runMany(object.program('by_content'), source()));
});

test('a closed object is refused before anything runs', async () => {
  const object = load('actions');
  object.close();
  await expect(runMany(object.program('pass'), packets)).rejects.toMatchObject({ code: 'XDP_CLOSED' });
});
