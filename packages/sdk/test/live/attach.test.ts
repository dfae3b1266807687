/** Programs on real interfaces. */
import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { XdpError, type XdpObject } from 'xdptest';
import { type NetworkInterface, NetworkNamespace } from 'xdptest/live';
import { missing } from '../support/missing.ts';
import { load } from '../support/objects.ts';
import { numbered } from './support/frames.ts';
import { loadActions } from './support/programs.ts';

let a: NetworkNamespace;
let b: NetworkNamespace;
let here: NetworkInterface;
let there: NetworkInterface;
let actions: XdpObject;

beforeEach(() => {
  actions = loadActions();
  a = new NetworkNamespace('a');
  b = new NetworkNamespace('b');
  [here, there] = a.addVeth('veth0', { namespace: b, name: 'veth1' });
});
afterEach(() => {
  a.close();
  b.close();
  actions.close();
});

describe('attach', () => {
  test.each(['native', 'generic'] as const)('in %s mode, XDP_TX sends the frame back', async (mode) => {
    using attachment = there.attach(actions.program('tx'), { mode });
    expect(attachment).toMatchObject({ mode, method: 'link' });
    expect(there.state.xdp).toBe(mode);
    const [from, to] = [here.open(), there.open()];
    const frame = numbered({ src: here.mac, dst: there.mac }, 1);
    from.send(frame);
    expect((await from.capture())[0]?.bytes).toEqual(frame.bytes);
    await expect(to.capture({ timeoutMs: 20 })).rejects.toMatchObject({ code: 'XDP_TIMEOUT' });
  });

  test.each(['native', 'generic'] as const)('by netlink in %s mode it is the same', async (mode) => {
    const attachment = there.attach(actions.program('tx'), { mode, method: 'netlink' });
    expect(attachment.method).toBe('netlink');
    expect(there.state.xdp).toBe(mode);
    const from = here.open();
    from.send(numbered({ src: here.mac, dst: there.mac }, 1));
    await from.capture();
    expect(() => there.attach(actions.program('drop'))).toThrow(/has a program already/);
    attachment.close();
    expect(there.state.xdp).toBeUndefined();
  });

  test('XDP_DROP lets nothing through, and after closing everything passes', async () => {
    const attachment = there.attach(actions.program('drop'));
    const [from, to] = [here.open(), there.open()];
    from.send(numbered({ src: here.mac, dst: there.mac }, 1));
    await expect(to.capture({ timeoutMs: 20 })).rejects.toMatchObject({ code: 'XDP_TIMEOUT' });
    attachment.close();
    attachment.close();
    expect(there.state.xdp).toBeUndefined();
    from.send(numbered({ src: here.mac, dst: there.mac }, 2));
    expect((await to.capture())[0]?.packet.get('udp')?.sport).toBe(2);
  });

  test('refuses a second program, and takes one after the first is closed', () => {
    const first = there.attach(actions.program('pass'));
    expect(() => b.interface('veth1').attach(actions.program('drop'))).toThrow(/has a program already/);
    first.close();
    there.attach(actions.program('drop')).close();
  });

  test('names the driver that cannot do native mode, and works there in generic mode', () => {
    const lo = a.interface('lo');
    let error: unknown;
    try {
      lo.attach(actions.program('pass'));
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(XdpError);
    expect(error).toMatchObject({
      code: 'XDP_ATTACH_FAILED',
      message: expect.stringMatching(/a\/lo in native mode.*mode: 'generic'.*the kernel says: /),
    });
    expect(lo.attach(actions.program('pass'), { mode: 'generic' }).method).toBe('link');
  });

  test('says which MTU is too large for a program without fragments', () => {
    const [jumbo] = a.addVeth('jumbo0', { namespace: b, name: 'jumbo1' }, { mtu: 9000 });
    expect(() => jumbo.attach(actions.program('pass'))).toThrow(/MTU.*too large.*xdp\.frags/);
    if (missing.frags === undefined) jumbo.attach(load('frags').program('seen_frags')).close();
  });

  test('a native attachment readies the other end; the next attach there replaces that', () => {
    there.attach(actions.program('pass'));
    expect(here.state.xdp).toBe('native');
    here.attach(actions.program('drop')).close();
    expect(here.state.xdp).toBeUndefined();
  });

  test('keeps no descriptor when all is closed', () => {
    const descriptors = (): number => readdirSync('/proc/self/fd').length;
    const before = descriptors();
    const c = new NetworkNamespace('c');
    const [end, peer] = c.addVeth('x', { namespace: c, name: 'y' });
    end.attach(actions.program('tx'));
    peer.open();
    c.close();
    expect(descriptors()).toBe(before);
  });
});
