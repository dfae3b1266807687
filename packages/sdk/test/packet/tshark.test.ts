/** Whatever we build, tshark reads as we do: field by field, and checksum by checksum. */
import { describe, expect, test } from 'vitest';
import { dissect, type Layer, type LayerKind, locateField, type Packet } from 'xdptest/packet';
import { frameOf } from '#dist/packet/packet.js';
import { correction } from '#dist/packet/read-layer.js';
import { needs } from '../support/needs.ts';
import { type Combination, combinations } from './support/combinations.ts';
import { Random } from './support/random.ts';
import {
  differences,
  expectedOf,
  type Seen,
  tshark,
  verdictFields,
  verdicts,
  whyNoTshark,
} from './support/tshark.ts';

const missing = whyNoTshark();
if (missing !== undefined && process.env.CI) throw new Error(`in CI this test must run, but ${missing}`);

const every = combinations(7);
// tshark 4.0 knows no GUE: what is inside it is shown to tshark apart.
const isGue = ({ name }: Combination) => name.includes('/gue');
const plain = every.filter((combination) => !isGue(combination));
const gue = every.filter(isGue);

/** The verdicts on one kind's checksums. Those of other kinds in the same packet are not mixed in. */
function verdictsOf(seen: Seen, kind: LayerKind): readonly string[] {
  return seen.get(verdictFields[kind]!)!;
}

function fieldsAgree(
  combinations: readonly Combination[],
  packets: readonly Packet[],
  seen: readonly Seen[],
): void {
  expect(seen).toHaveLength(packets.length);
  const wrong = packets.flatMap(({ layers }, i) =>
    differences(expectedOf(layers as readonly Layer[]), seen[i]!).map(
      (text) => `${combinations[i]!.name} ${text}`,
    ),
  );
  expect(wrong).toEqual([]);
}

describe('tshark', () => {
  needs(missing);
  test(`agrees with the fields of ${plain.length} packets of every combination of layers`, () => {
    const packets = plain.map(({ packet }) => packet);
    fieldsAgree(plain, packets, tshark(packets));
  });

  test('finds no bad checksum in them, and as many good ones as there are', () => {
    const seen = tshark(plain.map(({ packet }) => packet));
    for (const [i, { name, packet }] of plain.entries()) {
      for (const kind of Object.keys(verdictFields) as LayerKind[]) {
        const given = verdictsOf(seen[i]!, kind);
        expect(given, `${name}: ${kind}`).not.toContain(verdicts.bad);
        if (/unreachable|exceeded|icmpRedirect|tooBig|fragment|Extensions/.test(name)) continue;
        const layers = packet.layers.filter((layer) => layer.kind === kind && 'checksum' in layer);
        const good = layers.filter((layer) => !(layer.kind === 'udp' && layer.checksum === 0));
        expect(given.filter((verdict) => verdict === verdicts.good).length, `${name}: ${kind}`).toBe(
          good.length,
        );
      }
    }
  });

  test(`agrees with what is around and inside GUE in ${gue.length} packets`, () => {
    // The layers up to the outer UDP header, and then those inside as raw IP (link type 101).
    const cut = gue.map(({ packet }) => packet.layers.findIndex(({ kind }) => kind === 'udp') + 1);
    const seen = tshark(gue.map(({ packet }) => packet));
    for (const [i, { name, packet }] of gue.entries()) {
      const outer = (packet.layers as readonly Layer[]).slice(0, cut[i]);
      expect(differences(expectedOf(outer), seen[i]!), name).toEqual([]);
      expect(verdictsOf(seen[i]!, 'udp'), name).toEqual([verdicts.good]);
    }
    const inner = gue.map(({ packet }, i) =>
      packet.slice(cut[i]! + (packet.layers[cut[i]!]!.kind === 'gue' ? 1 : 0)),
    );
    fieldsAgree(gue, inner, tshark(inner, 101));
  });

  test('calls bad the checksums that we call bad', () => {
    const random = new Random(8);
    const damaged = plain.flatMap(({ name, packet }) => {
      // Only where tshark verifies: not in the quote of an ICMP error and not in fragments.
      if (/unreachable|exceeded|icmpRedirect|tooBig|fragment|Extensions/.test(name)) return [];
      const kinds = (Object.keys(verdictFields) as LayerKind[]).filter((kind) => {
        const layers = packet.layers.filter((layer) => layer.kind === kind);
        return layers.length === 1 && 'checksum' in layers[0]! && layers[0].checksum !== 0;
      });
      if (kinds.length === 0) return [];
      const kind = random.pick(kinds);
      const bytes = packet.bytes.slice();
      const { offset } = locateField(packet, `${kind}.checksum` as 'ipv4.checksum');
      bytes[offset]! ^= 1 << random.upTo(7);
      return [{ name, kind, bytes }];
    });
    expect(damaged.length).toBeGreaterThan(500);
    const seen = tshark(damaged.map(({ bytes }) => bytes));
    for (const [i, { name, kind, bytes }] of damaged.entries()) {
      expect(verdictsOf(seen[i]!, kind), `${name}: ${kind}`).toEqual([verdicts.bad]);
      const frame = frameOf(dissect(bytes));
      const index = frame.spans.findIndex(({ codec }) => codec.kind === kind);
      expect(correction(frame, index, 'checksum'), `${name}: ${kind}`).toBeTypeOf('number');
    }
  });
});
