import { describe, expect, test } from 'vitest';
import { churn } from 'xdptest/stats';

const invalid = expect.objectContaining({ code: 'XDP_INVALID_ARGUMENT' });

describe('churn', () => {
  test('tells flows that had to move from those that moved for nothing', () => {
    const before = ['a', 'a', 'b', 'b', 'c', 'c', 'c', undefined];
    const after = ['a', 'b', 'b', 'd', 'a', 'b', 'c', 'a'];
    expect(churn(before, after, { removed: ['c'], added: ['d'] })).toEqual({
      total: 8,
      moved: 5,
      share: 5 / 8,
      movedFromRemoved: 2,
      movedToAdded: 1,
      movedAmongOthers: 2,
      disruption: 2 / 5,
      stillOnRemoved: 1,
    });
  });

  test('reads typed arrays, and nothing moved is 0 throughout', () => {
    const flows = Uint32Array.from({ length: 1000 }, (_, i) => i % 7);
    expect(churn(flows, flows.slice())).toEqual({
      total: 1000,
      moved: 0,
      share: 0,
      movedFromRemoved: 0,
      movedToAdded: 0,
      movedAmongOthers: 0,
      disruption: 0,
      stillOnRemoved: 0,
    });
    expect(churn([], []).share).toBe(0);
  });

  test('a modulo hash is as bad as theory says, rendezvous hashing perfect', () => {
    const flows = Uint32Array.from({ length: 20_000 }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 0);
    const modulo = churn(
      flows.map((hash) => hash % 10),
      flows.map((hash) => hash % 9),
      { removed: [9] },
    );
    // A flow stays with hash % 10 == hash % 9: one in ten.
    expect(modulo.share).toBeGreaterThan(0.88);
    expect(modulo.share).toBeLessThan(0.92);
    const rendezvous = (hash: number, nodes: number) => {
      let best = -1;
      let winner = 0;
      for (let node = 0; node < nodes; node++) {
        let score = Math.imul(hash ^ Math.imul(node + 1, 0x85ebca6b), 0xc2b2ae35);
        score = Math.imul(score ^ (score >>> 15), 0x27d4eb2f) >>> 0;
        if (score > best) [best, winner] = [score, node];
      }
      return winner;
    };
    const ring = churn(
      flows.map((hash) => rendezvous(hash, 10)),
      flows.map((hash) => rendezvous(hash, 9)),
      { removed: [9] },
    );
    expect(ring.movedFromRemoved).toBeGreaterThan(1500);
    expect(ring).toMatchObject({ movedAmongOthers: 0, disruption: 0, stillOnRemoved: 0 });
  });

  test('refuses flows that cannot be the same ones', () => {
    expect(() => churn([1, 2], [1])).toThrow(/before has 2 flows, after has 1/);
    expect(() => churn(7 as unknown as number[], [])).toThrow(invalid);
    expect(() => churn([1], [1], { remove: [1] } as object)).toThrow(invalid);
  });
});
