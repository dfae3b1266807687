import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type CapturedPacket, captureBytes, eth, ipv4, packet, payload, udp } from 'xdptest/packet';
import { type CliResult, cli, scratch } from '../support/cli.ts';

const given = packet(
  eth(),
  ipv4({ src: '10.0.0.1', dst: '192.0.2.1' }),
  udp({ sport: 1234, dport: 443 }),
  payload('hello'),
);

function diff(expected: CapturedPacket[], actual: CapturedPacket[], ...more: string[]): CliResult {
  const directory = scratch();
  const [a, b] = [join(directory, 'a.pcapng'), join(directory, 'b.pcapng')];
  writeFileSync(a, captureBytes(expected));
  writeFileSync(b, captureBytes(actual));
  return cli(['diff', a, b, ...more]);
}

test('equal packets are no difference, whatever their times and comments', () => {
  const noted = { bytes: given.bytes, timestampNs: 5n, comments: ['again'] };
  expect(diff([given, given], [given, noted])).toEqual({
    code: 0,
    stdout: '2 packets, no difference\n',
    stderr: '',
  });
});

test('a field that differs is shown by its name, with both values and the place', () => {
  const { code, stdout } = diff([given, given], [given, given.with('ipv4.ttl', 63)]);
  expect(stdout).toMatch(/^#1$/m);
  expect(stdout).toMatch(/ipv4\.ttl +expected 64 +got 63 +@22/);
  expect(stdout).not.toMatch(/ipv4\.checksum +expected/);
  expect(stdout).toMatch(/2 packets, 1 differ\n$/);
  expect(code).toBe(1);
});

test('--ignore says what may differ', () => {
  const other = given.with({ ipv4: { ttl: 63, id: 7 } });
  expect(diff([given], [other], '--ignore', 'ipv4.ttl').code).toBe(1);
  expect(diff([given], [other], '--ignore', 'ipv4.ttl', '--ignore', 'ipv4.id').code).toBe(0);
  expect(diff([given], [other], '--ignore', 'ipv4.tll').stderr).toContain('ipv4 has no field "tll"');
});

test('verdicts are compared where both files have them', () => {
  const withVerdict = (verdict: number) => ({ bytes: given.bytes, verdict });
  expect(diff([withVerdict(3)], [withVerdict(1)]).stdout).toContain('verdict: expected XDP_TX, got XDP_DROP');
  expect(diff([withVerdict(3)], [given]).code).toBe(0);
});

test('packets that only one file has are differences', () => {
  expect(diff([given, given], [given]).stdout).toContain('missing: 10.0.0.1:1234 > 192.0.2.1:443 UDP 47 B');
  expect(diff([given], [given, given]).stdout).toContain('not expected: 10.0.0.1:1234');
});

test('--lines shows fewer of them, and counts all', () => {
  const others = [1, 2, 3].map((ttl) => given.with('ipv4.ttl', ttl));
  const { stdout } = diff([given, given, given], others, '--lines', '1');
  expect(stdout.match(/ipv4\.ttl +expected/g)).toHaveLength(1);
  expect(stdout).toContain('... and 2 more that differ\n3 packets, 3 differ');
});

test('other than two files is a wrong command line', () => {
  expect(cli(['diff', 'a'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('two files') as string,
  });
});
