/** The matchers, added to vitest's `expect` when this file is loaded in a worker. */
import { expect } from 'vitest';
import { addShortcuts } from './fast.ts';
import { toHaveCount, toHaveEntry } from './maps.ts';
import { toEqualPacket, toMatchLayers } from './packets.ts';
import { toRedirect } from './redirect.ts';
import { equalPackets, packetSerializer } from './serializer.ts';
import { toBeUniform, toHaveChurnBelow } from './statistics.ts';
import { toAbort, toDrop, toHaveVerdict, toPass, toTx } from './verdict.ts';

export type { RedirectExpectation } from './redirect.ts';
export type { ChurnBelowOptions, EqualPacketOptions, UniformOptions, XdpMatchers } from './types.ts';

// The configuration of a run loads this file too, with the plugin; there `expect` cannot be extended.
if ('__vitest_worker__' in globalThis) {
  expect.extend({
    toPass,
    toDrop,
    toTx,
    toAbort,
    toRedirect,
    toHaveVerdict,
    toEqualPacket,
    toMatchLayers,
    toHaveEntry,
    toHaveCount,
    toBeUniform,
    toHaveChurnBelow,
  });
  addShortcuts();
  expect.addSnapshotSerializer(packetSerializer);
  expect.addEqualityTesters([equalPackets]);
}
