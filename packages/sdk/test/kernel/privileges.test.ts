/** Without privileges: one clear error that names the capability, whatever was tried first. */
import { describe, expect, test } from 'vitest';
import { probeKernel } from 'xdptest';
import { jsonOf } from '../support/child.ts';

/** What becomes of a probe, a load and a run in a process that lacks some capabilities. */
const attempt = `
const outcome = (work) => {
  try { return String(work()); } catch ({ name, code, message }) { return [name, code, message].join(' '); }
};
console.log(JSON.stringify({
  probe: outcome(() => probeKernel().limits.minPacketBytes),
  load: outcome(() => runXdp(load('sections', { programs: { root: { autoload: false } } }).program('plain'), new Uint8Array(64)).action),
  innerMaps: outcome(() => load('maps', { innerMaps: { outer_hash: { type: 'array', keySizeBytes: 4, valueSizeBytes: 8, maxEntries: 1 } } })),
  arithmetic: outcome(() => load('actions')),
}));`;

interface Outcomes {
  readonly probe: string;
  readonly load: string;
  readonly innerMaps: string;
  readonly arithmetic: string;
}

const without = (...capabilities: string[]): readonly string[] => {
  const dropped = capabilities.map((name) => `-${name}`).join(',');
  return ['setpriv', `--bounding-set=${dropped}`, `--inh-caps=${dropped}`];
};

/** Nobody, who may read this checkout wherever it lies. */
const ordinaryUser = [
  'setpriv',
  ...['--reuid=65534', '--regid=65534', '--clear-groups'],
  ...[
    '--bounding-set=-all,+dac_read_search',
    '--inh-caps=-all,+dac_read_search',
    '--ambient-caps=+dac_read_search',
  ],
];

describe.each([
  ['CAP_BPF', without('sys_admin', 'perfmon', 'bpf')],
  ['CAP_NET_ADMIN', without('sys_admin', 'net_admin')],
  ['CAP_BPF and CAP_NET_ADMIN', without('all')],
  ['CAP_BPF and CAP_NET_ADMIN', ordinaryUser],
])('a process without %s (%j)', (missing, wrap) => {
  test('is told so by the probe and by a load', async () => {
    const { probe, load } = await jsonOf<Outcomes>(attempt, { wrap });
    for (const message of [probe, load]) {
      expect(message).toMatch(/^XdpError XDP_NOT_PERMITTED /);
      expect(message).toContain(`lacks ${missing}:`);
    }
  });
});

test('inner maps that cannot be made are explained the same way', async () => {
  const { innerMaps } = await jsonOf<Outcomes>(attempt, { wrap: without('all') });
  expect(innerMaps).toMatch(/^XdpError XDP_NOT_PERMITTED .*lacks CAP_BPF and CAP_NET_ADMIN/);
});

describe('a process with CAP_BPF and CAP_NET_ADMIN only', () => {
  test('probes and runs what needs no more', async () => {
    const { probe, load } = await jsonOf<Outcomes>(attempt, { wrap: without('sys_admin', 'perfmon') });
    expect(probe).toBe(String(probeKernel().limits.minPacketBytes));
    expect(load).toBe('XDP_PASS');
  });

  test('is told of CAP_PERFMON when the verifier refuses a program for want of it', async () => {
    const { arithmetic } = await jsonOf<Outcomes>(attempt, { wrap: without('sys_admin', 'perfmon') });
    expect(arithmetic).toMatch(/^XdpError XDP_LOAD_FAILED /);
    expect(arithmetic).toContain('program seen');
    expect(arithmetic).toContain('CAP_PERFMON');
    expect(arithmetic).toContain('prohibited');
  });
});
