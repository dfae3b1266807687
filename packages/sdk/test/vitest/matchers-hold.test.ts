/** The matchers where they hold, and by `not` where they do not. How they fail is in matchers.test.ts. */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { runMany, runXdp, XdpObjectFile } from 'xdptest';
import { eth, ipv4, packet, udp } from 'xdptest/packet';
import { churn, distribution } from 'xdptest/stats';
import { expect, test } from 'xdptest/vitest';
import { compileBpf } from '#dist/gen/index.js';
import { missing } from '../support/missing.ts';
import type { Schema } from './sample/sample.bpf.c';

const { path } = await compileBpf(fileURLToPath(new URL('sample/sample.bpf.c', import.meta.url)), {
  cacheDir: fileURLToPath(new URL('../../node_modules/.cache/xdptest', import.meta.url)),
});
const sample = new XdpObjectFile<Schema>(path);
const given = packet(
  eth(),
  ipv4({ src: '10.0.0.1', dst: '192.0.2.1', ttl: 64 }),
  udp({ sport: 1, dport: 2 }),
);

test('verdicts: of results, of rows, by name and by number', async ({ t }) => {
  const { programs } = t.load(sample);
  const result = runXdp(programs.decide, given);
  expect(result).toPass();
  expect(result).not.toDrop();
  expect(result).toHaveVerdict(2);
  expect(result.action).toHaveVerdict('XDP_PASS');
  const many = await runMany(programs.hop, [given, given]);
  expect(many).toTx();
  expect(many.at(1)).toTx();
  expect(() => expect(many).not.toTx()).toThrow('unclear');
  expect(() => expect(given).toPass()).toThrow('this is a packet, and was not run');
  expect(() => expect('XDP_FORWARD').toPass()).toThrow('needs the result of runXdp');
  await expect(Promise.resolve(result)).resolves.toPass();
  for (const [verdict, matcher] of [
    [0, 'toAbort'],
    [1, 'toDrop'],
    [4, 'toRedirect'],
  ] as const) {
    expect(verdict)[matcher]();
    expect(2).not[matcher]();
  }
});

test('redirects: by interface, and by any part of a target', ({ t }) => {
  const result = runXdp(t.load(sample).programs.to_loopback, given);
  expect(result).toRedirect();
  expect(() => expect(4).toRedirect(1)).toThrow('is not known');
  if (missing.redirects !== undefined) {
    expect(() => expect(result).toRedirect(1)).toThrow('is not known');
    return;
  }
  expect(result).toRedirect(1);
  expect(result).toRedirect({ ifindex: 1 });
  expect(result).not.toRedirect({ ifindex: 2 });
  expect(result).not.toRedirect({ map: 'ports' });
});

test('packets: whole, without what is ignored, and by layers', ({ t }) => {
  const result = runXdp(t.load(sample).programs.hop, given);
  expect(result).not.toEqualPacket(given);
  expect(result).toEqualPacket(given, { ignore: ['ipv4.ttl', 'ipv4.checksum'] });
  expect(given).toEqualPacket(given.bytes);
  expect(result).toMatchLayers({ ipv4: { dst: '192.0.2.0/24', ttl: 63 }, gue: false });
  expect(result).not.toMatchLayers({ ipv4: { ttl: 64 } });
  expect(given).toEqual(packet(...given.parts));
  expect(given).not.toEqual(given.with('ipv4.ttl', 63));
});

test('maps: entries as they are written or read, and counters of any width', ({ t }) => {
  const { maps, programs } = t.load(sample);
  maps.vips.set(1, { address: '192.0.2.1', port: 443 });
  expect(maps.vips).toHaveEntry(1);
  expect(maps.vips).not.toHaveEntry(2);
  expect(maps.vips).toHaveEntry(1, { address: '192.0.2.1', port: 443 });
  expect(maps.vips).toHaveEntry(1, { address: 0xc0000201, port: 443, pad: 0 });
  expect(maps.vips).toHaveEntry(1, expect.objectContaining({ port: 443 }) as object);
  expect(maps.vips).not.toHaveEntry(1, { address: '192.0.2.1', port: 444 });
  for (const cpu of availableParallelism() > 1 ? [0, 1] : [0, 0]) runXdp(programs.decide, given, { cpu });
  expect(maps.counted).toHaveCount(0, { packets: 2 });
  expect(maps.counted).toHaveCount(0, { packets: 2n, bytes: BigInt(2 * given.length) });
  expect(maps.counted).not.toHaveCount(0, { packets: 1 });
  expect(() => expect({}).toHaveEntry(1)).toThrow('needs a map of a loaded object');
});

test('statistics: counts and their distributions, and churn', () => {
  expect([100, 101, 99]).toBeUniform();
  expect({ a: 100, b: 98 }).toBeUniform({ maxCv: 0.02 });
  expect(distribution([100, 101])).toBeUniform({ alpha: 0.01 });
  expect([100, 200]).not.toBeUniform();
  expect(new Map([['a', 100]])).not.toBeUniform({ among: 2 });
  expect({ a: 200, b: 100 }).toBeUniform({ expected: { a: 2, b: 1 } });
  expect(() => expect([1, 2]).toBeUniform({ maxCv: -1 })).toThrow('maxCv must be a share');
  const moved = churn([1, 1, 2, 3], [1, 1, 2, 1], { removed: [3] });
  expect(moved).toHaveChurnBelow(0.01);
  expect(moved).not.toHaveChurnBelow(0.1, { of: 'share' });
  expect(() => expect(0.5).toHaveChurnBelow(1)).toThrow('needs the result of churn');
});

test('snapshots show packets as people read them', ({ t }) => {
  const result = runXdp(
    t.load(sample).programs.hop,
    packet(eth(), ipv4({ src: '10.0.0.1', dst: '192.0.2.1', ttl: 9 })),
  );
  expect(result).toMatchInlineSnapshot(`
    XDP_TX
    10.0.0.1 > 192.0.2.1 34 B
    Ethernet (eth) @0, 14 B
      dst              02:00:00:00:00:02
      src              02:00:00:00:00:01
      type             0x0800
    IPv4 @14, 20 B
      version          4
      ihl              5
      dscp             0
      ecn              0
      totalLength      20
      id               0
      reserved         false
      df               false
      mf               false
      fragmentOffset   0
      ttl              8
      protocol         59
      checksum         0xe5ad  (should be 0xe6ad)
      src              10.0.0.1
      dst              192.0.2.1
      options          (none)
  `);
});
