import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { captureBytes, eth, ipv4, packet, payload, udp } from 'xdptest/packet';
import { cli, scratch } from '../support/cli.ts';

const given = packet(
  eth(),
  ipv4({ src: '10.0.0.1', dst: '192.0.2.1' }),
  udp({ sport: 1234, dport: 443 }),
  payload('hello'),
);
const file = captureBytes([
  { bytes: given.bytes, timestampNs: 1_000_000_000n, verdict: 'XDP_TX', comments: ['the first'] },
  { bytes: given.with('ipv4.checksum', 1).bytes, timestampNs: 1_500_000_000n, verdict: 77 },
]);

function saved(bytes: Uint8Array): string {
  const path = join(scratch(), 'file.pcapng');
  writeFileSync(path, bytes);
  return path;
}

test('a line for each packet: number, time, verdict, packet, comments', () => {
  expect(cli(['show', saved(file)])).toEqual({
    code: 0,
    stderr: '',
    stdout: [
      '#0  +0.000000  XDP_TX        10.0.0.1:1234 > 192.0.2.1:443 UDP 47 B  "the first"',
      '#1  +0.500000  77            10.0.0.1:1234 > 192.0.2.1:443 UDP 47 B',
      '',
    ].join('\n'),
  });
});

test('--first stops early', () => {
  expect(cli(['show', saved(file), '--first', '1']).stdout).toMatch(/^#0 .*\n$/);
});

test('--tree shows all fields, and what is wrong with them', () => {
  const { stdout } = cli(['show', saved(file), '--tree']);
  expect(stdout).toMatch(/^ {2}dport +443$/m);
  expect(stdout).toMatch(/^ {2}checksum +0x0001 {2}\(should be 0x[0-9a-f]{4}\)$/m);
});

test('--hex shows the bytes, with the layers named', () => {
  const { stdout } = cli(['show', saved(file), '--hex', '--first', '1']);
  expect(stdout).toContain('02 00 00 00 00 02 02 00');
  expect(stdout).toMatch(/eth.*ipv4/);
});

test('--json gives one object a line', () => {
  const lines = cli(['show', saved(file), '--json'])
    .stdout.trimEnd()
    .split('\n');
  const [first, second] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(first).toMatchObject({
    index: 0,
    timestampNs: '1000000000',
    verdict: 'XDP_TX',
    comments: ['the first'],
    layers: [
      { kind: 'eth' },
      { kind: 'ipv4', dst: '192.0.2.1' },
      { kind: 'udp' },
      { kind: 'raw', bytes: '68656c6c6f' },
    ],
  });
  expect(second).toMatchObject({ verdict: 77 });
});

test('of a damaged file it shows what comes before the damage', () => {
  const { code, stdout, stderr } = cli(['show', saved(file.subarray(0, -4))]);
  expect(stdout).toMatch(/^#0 .*\n$/);
  expect(stderr).toContain('the file ends within a block');
  expect(code).toBe(1);
});

test.each([
  [['show'], 'which file?'],
  [['show', 'a', 'b'], 'one file at a time'],
  [['show', 'a', '--json', '--tree'], 'either --json or --tree and --hex'],
  [['show', 'a', '--first', 'x'], '--first must be a whole number'],
])('%j is a wrong command line', (args, message) => {
  const { code, stderr } = cli(args);
  expect(stderr).toContain(message);
  expect(code).toBe(2);
});
