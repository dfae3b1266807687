/** The wire format of netlink, byte by byte; no kernel is asked. */
import { describe, expect, test } from 'vitest';
import { newAddress, newNeighbour, newRoute, parseIp } from '#dist/live/netlink/addresses.js';
import { changeLink, changeXdp, newVeth } from '#dist/live/netlink/links.js';
import { Attributes, WireWriter, wireMessage, wireMessages } from '#dist/live/netlink/wire.js';
import { inetAddress, packetAddress } from '#dist/live/sockaddr.js';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
/** Expected bytes, in groups that mean something. */
const groups = (...parts: string[]): string => parts.join('').replaceAll(' ', '');

describe('requests', () => {
  test('a message has its length, type, flags and number in front', () => {
    expect(hex(wireMessage(16, 0x605, 7, Uint8Array.of(1, 2, 3)))).toBe(
      groups('13000000', '1000', '0506', '07000000', '00000000', '010203'),
    );
  });

  test('attributes are padded to four bytes, which their length leaves out', () => {
    const writer = new WireWriter().text(3, 'lo').attribute(4, (value) => value.u32(1500));
    expect(hex(writer.bytes())).toBe(groups('0700 0300 6c6f00', '00', '0800 0400 dc050000'));
  });

  test('a veth pair is nested four deep, and its other end has a header of its own', () => {
    const bytes = newVeth({ name: 'a' }, { name: 'b', netnsFd: 9 });
    const outer = new Attributes(bytes.subarray(16));
    expect(outer.text(3)).toBe('a');
    expect(outer.nested(18)?.text(1)).toBe('veth');
    const peer = new Attributes(outer.nested(18)!.nested(2)!.raw(1)!.subarray(16));
    expect([peer.text(3), peer.number(28)]).toEqual(['b', 9]);
  });

  test('up and down change one flag, and another master none', () => {
    expect(hex(changeLink(5, { up: true }))).toBe(groups('0000 0000', '05000000', '01000000', '01000000'));
    expect(hex(changeLink(5, { up: false }))).toBe(groups('0000 0000', '05000000', '00000000', '01000000'));
    expect(hex(changeLink(5, { master: 6 }))).toBe(
      groups('0000 0000', '05000000', '00000000', '00000000', '0800 0a00 06000000'),
    );
  });

  test('detaching a program is attaching none', () => {
    expect(hex(changeXdp(5, -1, 4)).slice(32)).toBe(
      groups('1400 2b80', '0800 0100 ffffffff', '0800 0300 04000000'),
    );
  });

  test('addresses, neighbours and routes', () => {
    expect(hex(newAddress(5, parseIp('10.0.0.1'), 24))).toBe(
      groups('02 18 00 00 05000000', '0800 0200 0a000001', '0800 0100 0a000001'),
    );
    // No detection of duplicates for IPv6.
    expect(hex(newAddress(5, parseIp('::1'), 64)).slice(0, 16)).toBe(groups('0a 40 02 00 05000000'));
    expect(hex(newNeighbour(5, parseIp('10.0.0.2'), '02:00:00:00:00:09'))).toBe(
      groups('02 000000 05000000 8000 00 00', '0800 0100 0a000002', '0a00 0200 020000000009 0000'),
    );
    expect(hex(newRoute(5, parseIp('0.0.0.0'), 0, parseIp('10.0.0.1')))).toBe(
      groups('02 00 00 00 fe 04 00 01 00000000', '0800 0400 05000000', '0800 0500 0a000001'),
    );
  });

  test('addresses of sockets', () => {
    expect(hex(inetAddress('192.0.2.1', 443).bytes)).toBe(groups('0200 01bb c0000201', '0000000000000000'));
    expect(hex(inetAddress('::1', 80).bytes)).toBe(
      groups('0a00 0050 00000000', '00000000000000000000000000000001', '00000000'),
    );
    expect(hex(packetAddress(5, 3))).toBe(groups('1100 0003 05000000', '000000000000000000000000'));
  });
});

describe('answers', () => {
  test('that are cut short or lie about their lengths end the reading, and nothing else', () => {
    const whole = wireMessage(16, 0, 1, new Uint8Array(8));
    expect([...wireMessages(whole)]).toHaveLength(1);
    for (let size = 0; size < whole.length; size++) {
      expect([...wireMessages(whole.subarray(0, size))]).toHaveLength(0);
    }
    const endless = whole.slice();
    endless[0] = 0;
    expect([...wireMessages(endless)]).toHaveLength(0);
    const attributes = new Attributes(Uint8Array.of(8, 0, 1, 0, 1, 0, 0, 0, 3, 0, 2, 0, 12, 0, 3, 0));
    expect([attributes.number(1), attributes.raw(2), attributes.raw(3)]).toEqual([1, undefined, undefined]);
  });
});
