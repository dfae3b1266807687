/** Sending and capturing. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type NetworkInterface, NetworkNamespace } from 'xdptest/live';
import { arp, eth, ipv4, ipv6, PacketBatch, packet, payload, tcp, udp, vlan } from 'xdptest/packet';
import { patience, rounds } from '../support/emulation.ts';
import { numbered } from './support/frames.ts';
import { loadLive } from './support/programs.ts';

let a: NetworkNamespace;
let b: NetworkNamespace;
let here: NetworkInterface;
let there: NetworkInterface;
let ends: { src: string; dst: string };

beforeEach(() => {
  a = new NetworkNamespace('a');
  b = new NetworkNamespace('b');
  [here, there] = a.addVeth('veth0', { namespace: b, name: 'veth1' });
  ends = { src: here.mac, dst: there.mac };
});
afterEach(() => {
  a.close();
  b.close();
});

describe('capture', () => {
  test('gives frames that came before the call as well as after it, byte for byte, with the time', async () => {
    const [from, to] = [here.open(), there.open()];
    const before = BigInt(Date.now()) * 1_000_000n;
    from.send(numbered(ends, 1));
    const both = to.capture({ count: 2 });
    await sleep(5);
    from.send(numbered(ends, 2));
    const frames = await both;
    expect(frames.map((frame) => frame.packet.get('udp')?.sport)).toEqual([1, 2]);
    expect(frames[0]?.bytes).toEqual(numbered(ends, 1).bytes);
    expect(frames[0]?.timestampNs).toBeGreaterThanOrEqual(before);
    expect(frames[1]!.timestampNs - frames[0]!.timestampNs).toBeGreaterThan(1_000_000n);
  });

  test('says what came and what was skipped when the time is over', async () => {
    const [from, to] = [here.open(), there.open()];
    from.send(numbered(ends, 1), numbered(ends, 2));
    const wanted = to.capture({
      count: 2,
      timeoutMs: 50,
      where: (frame) => frame.get('udp')?.sport === 2,
    });
    await expect(wanted).rejects.toMatchObject({
      code: 'XDP_TIMEOUT',
      completed: 1,
      message: expect.stringContaining('b/veth1: 1 of 2 frames came in 50 ms\n  skipped: 10.0.0.1:1 >'),
    });
  });

  test('hears nothing that its own side sends, unless asked to', async () => {
    const inward = here.open();
    const both = here.open({ direction: 'both' });
    here.open().send(numbered(ends, 7));
    expect((await both.capture())[0]?.packet.get('udp')?.sport).toBe(7);
    await expect(inward.capture({ timeoutMs: 20 })).rejects.toMatchObject({ code: 'XDP_TIMEOUT' });
  });

  test('puts the VLAN tag back that the kernel takes out of a frame', async () => {
    const [from, to] = [here.open(), there.open()];
    const tagged = packet(
      eth(ends),
      vlan({ vid: 7, pcp: 3 }),
      ipv4({ src: '10.0.0.1', dst: '10.0.0.2' }),
      udp({ sport: 1, dport: 2 }),
    );
    from.send(tagged);
    expect((await to.capture())[0]?.bytes).toEqual(tagged.bytes);
  });

  test('captures frames for other addresses and of unknown types', async () => {
    const [from, to] = [here.open(), there.open()];
    const odd = new Uint8Array(60).fill(2);
    from.send(odd);
    expect((await to.capture())[0]?.bytes).toEqual(odd);
  });

  test('tells of frames that were lost, once, and never passes over them', async () => {
    const [from, to] = [here.open(), there.open({ maxBytes: 10 * 60 })];
    const report = await from.sendMany(Array.from({ length: 30 }, (_, i) => numbered(ends, i)));
    expect(report).toMatchObject({ sent: 30, dropped: 0 });
    await sleep(20);
    expect(to.counters).toEqual({ captured: 10, lost: 20 });
    await expect(to.capture({ count: 5 })).rejects.toMatchObject({
      code: 'XDP_FRAMES_LOST',
      message: expect.stringContaining('20 frames were lost'),
    });
  });

  test('goes on after the interface was down', async () => {
    const [from, to] = [here.open(), there.open()];
    there.down();
    await sleep(20);
    there.up();
    // The kernel starts the other end's queue again a moment after the carrier is back, and drops frames until then.
    let sport: number | undefined;
    for (let attempt = 0; attempt < 50 && sport === undefined; attempt++) {
      from.send(numbered(ends, 3));
      const frames = await to.capture({ timeoutMs: 200 }).catch(() => []);
      sport = frames[0]?.packet.get('udp')?.sport;
    }
    expect(sport).toBe(3);
  });

  test('keeps what it captured when it is closed', () => {
    const [from, to] = [here.open(), there.open()];
    from.send(numbered(ends, 1));
    return sleep(20).then(() => {
      to.close();
      expect(to.take().batch.length).toBe(1);
      expect(() => to.send(numbered(ends, 1))).toThrow(expect.objectContaining({ code: 'XDP_CLOSED' }));
    });
  });
});

describe('a filter', () => {
  const ip = { src: '10.0.0.1', dst: '10.0.0.2' };
  const six = { src: '2001:db8::1', dst: '2001:db8::2' };
  const ports = { sport: 1, dport: 2 };
  const frames = () => ({
    arp: packet(eth(ends), arp({})),
    udp4: packet(eth(ends), ipv4(ip), udp(ports)),
    udp4options: packet(eth(ends), ipv4({ ...ip, options: [{ type: 'nop' }] }), udp(ports)),
    udp4other: packet(eth(ends), ipv4(ip), udp({ sport: 2, dport: 1 })),
    udp4fragment: packet(eth(ends), ipv4({ ...ip, fragmentOffset: 185, protocol: 17 }), payload(udpLike)),
    tcp4: packet(eth(ends), ipv4(ip), tcp(ports)),
    udp6: packet(eth(ends), ipv6(six), udp(ports)),
    tcp6: packet(eth(ends), ipv6(six), tcp(ports)),
    tagged: packet(eth(ends), vlan({ vid: 1 }), ipv4(ip), udp(ports)),
  });
  const udpLike = Uint8Array.of(0, 1, 0, 2, 0, 8, 0, 0);

  test.each([
    [{}, 'arp udp4 udp4options udp4other udp4fragment tcp4 udp6 tcp6 tagged'],
    [{ etherType: 0x0806 }, 'arp'],
    [{ etherType: 0x86dd }, 'udp6 tcp6'],
    [{ ipProtocol: 17 }, 'udp4 udp4options udp4other udp4fragment udp6 tagged'],
    [{ ipProtocol: 6 }, 'tcp4 tcp6'],
    [{ ipProtocol: 17, sport: 1 }, 'udp4 udp4options udp6 tagged'],
    [{ dport: 2 }, 'udp4 udp4options tcp4 udp6 tcp6 tagged'],
    [{ etherType: 0x0800, sport: 1, dport: 2 }, 'udp4 udp4options tcp4 tagged'],
    [{ etherType: 0x86dd, ipProtocol: 6, dport: 2 }, 'tcp6'],
    [{ etherType: 0x0806, dport: 2 }, ''],
  ])('%j lets through %s', async (filter, expected) => {
    const [from, to] = [here.open(), there.open({ filter })];
    const all = there.open();
    const sent = Object.entries(frames());
    from.send(...sent.map(([, frame]) => frame));
    await all.captureMany({ count: sent.length });
    await sleep(10);
    const names = [...to.take().batch].map(
      (bytes) => sent.find(([, frame]) => Buffer.compare(frame.bytes, bytes) === 0)?.[0],
    );
    expect(names.join(' ')).toBe(expected);
  });
});

describe('a million frames', () => {
  const count = rounds(1_000_000, 200_000);
  const numberAt = 42; // behind the headers
  const millionFrames = (): PacketBatch => {
    const template = numbered(ends, 0).bytes;
    const batch = PacketBatch.allocate(new Uint32Array(count).fill(template.length));
    const view = new DataView(batch.bytes.buffer);
    for (let i = 0; i < count; i++) {
      batch.bytes.set(template, batch.offsets[i]!);
      view.setUint32(batch.offsets[i]! + numberAt, i);
    }
    return batch;
  };

  test(
    'arrive, none lost, none twice, in order, with what they carried',
    async () => {
      const [from, to] = [here.open(), there.open({ ringBytes: 64 << 20 })];
      const batch = millionFrames();
      const report = await from.sendMany(batch);
      const { batch: got } = await to.captureMany({ count, timeoutMs: patience(10_000) });
      expect(report).toMatchObject({ sent: count, dropped: 0 });
      expect(to.counters).toEqual({ captured: count, lost: 0 });
      expect(Buffer.compare(got.bytes, batch.bytes)).toBe(0);
    },
    patience(120_000),
  );

  test(
    'through a program in native mode: what did not arrive was counted where it was lost',
    async () => {
      using live = loadLive();
      there.attach(live.program('pass'));
      // A small ring, so that some may be lost there.
      const [from, to] = [here.open(), there.open({ ringBytes: 512 << 10 })];
      const { sent, dropped } = await from.sendMany(millionFrames());
      await sleep(100);
      const { captured, lost } = to.counters;
      expect(sent).toBe(count);
      expect(captured + lost + dropped).toBe(count);
      if (lost > 0) expect(() => to.take()).toThrow(expect.objectContaining({ code: 'XDP_FRAMES_LOST' }));
      // Those that are here are in order, and none is here twice.
      const { batch } = to.all();
      const view = new DataView(batch.bytes.buffer);
      let last = -1;
      for (let i = 0; i < batch.length; i++) {
        const number = view.getUint32(batch.offsets[i]! + numberAt);
        if (number <= last) throw new Error(`frame ${number} came after ${last}`);
        last = number;
      }
      expect(batch.length).toBe(captured);
    },
    patience(120_000),
  );
});
