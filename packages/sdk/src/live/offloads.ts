/** Offloads of a virtual interface: with them, "the wire" carries frames that no wire could. */
import { native } from '../native.ts';
import type { NamespaceCore } from './core.ts';

/** Commands of linux/ethtool.h that turn a feature on or off. */
const features = {
  rxChecksum: 0x15,
  txChecksum: 0x17,
  scatterGather: 0x19,
  tcpSegmentation: 0x1f,
  genericSegmentation: 0x24,
  genericReceive: 0x2c,
} as const;

/**
 * Turns segmentation, merging and the postponed checksum on or off. A veth hands frames over without a checksum and
 * larger than its MTU, because its other end is known to be in the same machine; XDP programs would see them so.
 */
export function setOffloads(core: NamespaceCore, name: string, enabled: boolean): void {
  for (const command of Object.values(features)) {
    // What a driver cannot change (EOPNOTSUPP) it does not do either.
    native().socketEthtool(core.control(), name, command, enabled ? 1 : 0);
  }
}
