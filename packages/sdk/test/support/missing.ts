/**
 * What the running kernel lacks, found by trying: each is the reason for tests to be skipped, or undefined where it is
 * there. A test that skips shows the reason (`context.skip`), a group of tests does by `needs`.
 */
import { probeKernel } from 'xdptest';
import { native } from '#dist/native.js';
import { mapTypeNumber } from '#dist/object/bpf-constants.js';

const { features } = probeKernel();

export const missing = {
  context: features.context ? undefined : 'this kernel takes no context in a test run (5.15 does)',
  // Before 6.11 the target of a redirect stands in a per-CPU variable, which Debian's 5.10 does not describe in its BTF.
  // The driver finds that out; asked here is what else tells of such a kernel, so that no fault of the driver skips its tests.
  redirects: features.context ? undefined : 'this kernel does not tell where redirects lead (5.15 does)',
  frags: features.frags ? undefined : 'this kernel has no xdp.frags (5.18 has)',
  liveFrames: features.liveFrames ? undefined : 'this kernel has no live frames (5.18 has)',
  bloomFilter: hasBloomFilter() ? undefined : 'this kernel has no bloom filters (5.16 has)',
} as const;

function hasBloomFilter(): boolean {
  const definition = { name: 'probe', keySize: 0, valueSize: 4, maxEntries: 1, flags: 0 };
  const map = native().mapCreate({ ...definition, type: mapTypeNumber('bloom_filter') });
  if (typeof map === 'number') return false;
  native().closeHandle(map);
  return true;
}
