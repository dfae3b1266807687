/** Nothing is left: not after closing, not after being killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BalancerTopology, NetworkNamespace } from 'xdptest/live';
import { native } from '#dist/native.js';
import { patience, rounds } from '../support/emulation.ts';
import { alive, remaining } from './support/canaries.ts';

const descriptors = (): string[] => readdirSync('/proc/self/fd');
const threads = (): number => readdirSync('/proc/self/task').length;
const interfacesOfTheMachine = (): string[] => readdirSync('/sys/class/net').sort();
const childProcesses = (): string[] =>
  readdirSync('/proc/self/task').flatMap((task) => {
    try {
      return readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' ').filter(Boolean);
    } catch {
      return []; // a thread that ended meanwhile
    }
  });

const SERVERS = 2;
/** Client, router, balancer and the servers. */
const NAMESPACES = 3 + SERVERS;

let watch: NetworkNamespace;
beforeEach(() => {
  watch = new NetworkNamespace('watch');
  // Opens what it opens when it is first used.
  watch.addVeth('first', { namespace: watch, name: 'second' });
});
afterEach(() => watch.close());

describe('removal', () => {
  const topologies = rounds(200, 30);
  test(
    `${topologies} topologies in a row leave no namespace, interface, descriptor, thread or process`,
    async () => {
      const before = {
        descriptors: descriptors().length,
        threads: threads(),
        interfaces: interfacesOfTheMachine(),
        children: childProcesses(),
      };
      let most = 0;
      for (let i = 0; i < topologies; i++) {
        const topology = new BalancerTopology({ servers: SERVERS });
        topology.namespaces.forEach((namespace, n) => {
          watch.addVeth(`canary${i}n${n}`, { namespace, name: 'canary' });
        });
        if (i % 20 === 0) topology.client.interface.open();
        most = Math.max(most, alive(watch));
        topology.close();
      }
      expect(most).toBeGreaterThanOrEqual(NAMESPACES);
      expect(await remaining(watch, patience(30_000))).toBe(0);
      expect({
        descriptors: descriptors().length,
        threads: threads(),
        interfaces: interfacesOfTheMachine(),
        children: childProcesses(),
      }).toEqual(before);
    },
    patience(180_000),
  );

  test(
    'a process that is killed in the middle leaves nothing, wherever it was',
    async () => {
      const before = { descriptors: descriptors().length, interfaces: interfacesOfTheMachine() };
      for (let i = 0; i < rounds(10, 4); i++) {
        const child = spawn(
          process.execPath,
          [fileURLToPath(new URL('support/endless.js', import.meta.url))],
          {
            stdio: ['ignore', 'pipe', 'inherit', watch.descriptor],
          },
        );
        const ended = once(child, 'exit');
        await once(child.stdout!, 'data');
        // Somewhere in a later one: each time at another place.
        await sleep(i * 23);
        expect(alive(watch)).toBeGreaterThanOrEqual(NAMESPACES);
        child.kill('SIGKILL');
        expect(await ended).toEqual([null, 'SIGKILL']);
        expect(await remaining(watch, patience(10_000))).toBe(0);
      }
      await expect.poll(() => descriptors().length).toBe(before.descriptors);
      expect(interfacesOfTheMachine()).toEqual(before.interfaces);
    },
    patience(120_000),
  );

  test('a failure in the middle of the set-up leaves nothing', async () => {
    const before = descriptors().length;
    expect(() => new BalancerTopology({ vips: ['192.0.2.1', '192.0.2.1'] })).toThrow(/EEXIST/);
    expect(descriptors().length).toBe(before);
  });

  test('what was forgotten goes with the garbage collector', async () => {
    (() => {
      for (let i = 0; i < 10; i++) {
        const namespace = new NetworkNamespace('forgotten');
        // Not by `watch` itself: its interface would know the other end, and with it the namespace.
        const again = new NetworkNamespace('watch again', watch.descriptor);
        again.addVeth(`canary${i}`, { namespace, name: 'canary' });
        namespace.interface('canary').open();
      }
    })();
    expect(alive(watch)).toBe(10);
    const deadline = performance.now() + 20_000;
    while (alive(watch) > 0 && performance.now() < deadline) {
      native().collectGarbage();
      await sleep(50);
    }
    expect(alive(watch)).toBe(0);
  });
});
