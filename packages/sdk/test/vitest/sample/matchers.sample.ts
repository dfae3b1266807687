/** Every matcher, failing on purpose: what it prints is in the snapshot of matchers.test.ts. */
import { runMany, runXdp } from 'xdptest';
import { eth, ipv4, packet, payload, udp } from 'xdptest/packet';
import { churn } from 'xdptest/stats';
import { describe, expect, test } from 'xdptest/vitest';
import sample from './sample.bpf.c';

const template = packet(
  eth({ src: '02:00:00:00:00:01', dst: '02:00:00:00:00:02' }),
  ipv4({ src: '10.0.0.1', dst: '192.0.2.1', ttl: 64 }),
  udp({ sport: 1234, dport: 443 }),
  payload('a payload of 22 bytes.'),
);

describe('TestVerdicts', () => {
  test('toPass', ({ t }) => {
    expect(runXdp(t.load(sample).programs.hop, template)).toPass();
  });
  test('toDrop', ({ t }) => {
    expect(runXdp(t.load(sample).programs.decide, template)).toDrop();
  });
  test('toTx', ({ t }) => {
    expect(runXdp(t.load(sample).programs.decide, template).action).toTx();
  });
  test('toAbort', ({ t }) => {
    expect(runXdp(t.load(sample, { variables: { verdict: 77 } }).programs.decide, template)).toAbort();
  });
  test('toRedirect', ({ t }) => {
    expect(runXdp(t.load(sample).programs.decide, template)).toRedirect();
  });
  test('toRedirect to a target', ({ t }) => {
    expect(runXdp(t.load(sample).programs.to_loopback, template)).toRedirect({ ifindex: 7 });
  });
  test('toHaveVerdict', ({ t }) => {
    expect(runXdp(t.load(sample).programs.decide, template)).toHaveVerdict('XDP_ABORTED');
  });
  test('not', ({ t }) => {
    expect(runXdp(t.load(sample).programs.decide, template)).not.toPass();
  });
  test('of a run of many', async ({ t }) => {
    const short = template.slice(0, 2).bytes;
    const packets = [template.bytes, short.slice(0, 20), template.bytes, short.slice(0, 30)];
    expect(await runMany(t.load(sample).programs.hop, packets)).toTx();
  });
});

describe('TestPackets', () => {
  test('toEqualPacket', ({ t }) => {
    const result = runXdp(t.load(sample).programs.hop, template);
    expect(result).toEqualPacket(template.with('ipv4.ttl', 63).with('udp.dport', 444));
  });
  test('toMatchLayers', ({ t }) => {
    const result = runXdp(t.load(sample).programs.hop, template);
    expect(result).toMatchLayers({ ipv4: { dst: '10.1.0.0/16', ttl: 63 }, udp: { dport: 443 }, gue: true });
  });
  test('toEqual', () => {
    expect({ packet: template.with('ipv4.ttl', 63) }).toEqual({ packet: template });
  });
});

describe('TestMaps', () => {
  test('toHaveEntry without the key', ({ t }) => {
    const object = t.load(sample);
    object.maps.vips.set(1, { address: '192.0.2.1', port: 443 });
    expect(object.maps.vips).toHaveEntry(2);
  });
  test('toHaveEntry with another value', ({ t }) => {
    const object = t.load(sample);
    object.maps.vips.set(1, { address: '192.0.2.1', port: 443 });
    expect(object.maps.vips).toHaveEntry(1, { address: '192.0.2.2', port: 443 });
  });
  test('toHaveCount', ({ t }) => {
    const object = t.load(sample);
    runXdp(object.programs.decide, template, { cpu: 0 });
    expect(object.maps.counted).toHaveCount(0, { packets: 2 });
  });
});

describe('TestStatistics', () => {
  test('toBeUniform', () => {
    expect(
      new Map([
        ['10.1.0.1', 260],
        ['10.1.0.2', 240],
        ['10.1.0.3', 400],
      ]),
    ).toBeUniform({ among: 4, maxCv: 0.2 });
  });
  test('toHaveChurnBelow', () => {
    expect(churn([1, 1, 2, 2, 3, 3], [1, 2, 2, 2, 3, 1], { removed: [3] })).toHaveChurnBelow(0.1);
  });
});

describe('TestT', () => {
  test('fatal', ({ t }) => {
    t.log('a log that is shown because the test fails:', { answer: 42 });
    t.fatal('this ends the test');
  });
  test('error', ({ t }) => {
    t.error('one thing is wrong');
    t.error('and another');
  });
  test('run', ({ t }) => {
    t.run('passes', () => {});
    t.run('fails', (t) => {
      t.log('a log of the subtest');
      expect(1 + 1).toBe(3);
    });
    t.run('is skipped', (t) => t.skip('for a reason'));
  });
  test('skip', ({ t }) => {
    t.skip('not today');
  });
});
