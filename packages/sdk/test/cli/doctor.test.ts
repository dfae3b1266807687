import { expect, test } from 'vitest';
import { probeKernel } from 'xdptest';
import { cli, nobody } from '../support/cli.ts';
import { objectPath } from '../support/objects.ts';

test('says what works, in words', () => {
  const { code, stdout, stderr } = cli(['doctor']);
  const facts = probeKernel();
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(stdout).toContain(`kernel      ${facts.release} ${facts.arch}`);
  expect(stdout).toContain('test runs and parking work');
  expect(stdout).toContain(`${facts.limits.minPacketBytes} to ${facts.limits.maxLinearBytes} bytes`);
  expect(stdout).toMatch(/^dispatcher {2}.*repeat 1/m);
  expect(stdout).toMatch(/^engines {5}batch and syscall$/m);
});

test('--json prints the facts of probeKernel', () => {
  const { code, stdout } = cli(['doctor', '--json']);
  expect(code).toBe(0);
  const { dispatcher, ...facts } = JSON.parse(stdout) as ReturnType<typeof probeKernel>;
  // Of the dispatcher the state is the same; what was measured is another measurement.
  const { dispatcher: own, ...known } = probeKernel();
  expect(facts).toEqual(known);
  expect(dispatcher.state).toBe(own.state);
  expect(dispatcher.evidence.decidedBy).toBe(own.evidence.decidedBy);
});

test('without privileges it names the missing capabilities, says the same as a load, and exits with 1', ({
  skip,
}) => {
  skip(process.getuid?.() !== 0, 'becoming another user takes root');
  const explanation =
    'this process lacks CAP_BPF and CAP_NET_ADMIN: run it as root, or grant them (setpriv, systemd AmbientCapabilities, docker run --cap-add)';
  const doctor = cli(['doctor'], nobody);
  expect(doctor.code).toBe(1);
  expect(doctor.stdout).toContain(explanation);
  expect(doctor.stderr).toBe('');

  const run = cli(['run', objectPath('actions'), '-p', 'pass', '--hex', '00'.repeat(64)], nobody);
  expect(run.code).toBe(1);
  expect(run.stderr).toContain(`${explanation} [XDP_NOT_PERMITTED]`);

  const json = cli(['doctor', '--json'], nobody);
  expect(json.code).toBe(1);
  expect(JSON.parse(json.stdout)).toMatchObject({
    error: { code: 'XDP_NOT_PERMITTED', message: expect.stringContaining(explanation) },
    release: probeKernel().release,
    privileges: { capabilities: [], missing: ['CAP_BPF', 'CAP_NET_ADMIN'] },
  });
});
