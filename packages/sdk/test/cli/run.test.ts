import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { captureBytes, eth, ipv4, packet, payload, readCaptureSync, udp } from 'xdptest/packet';
import { cli, scratch } from '../support/cli.ts';
import { objectPath } from '../support/objects.ts';

const actions = objectPath('actions');
const given = packet(
  eth(),
  ipv4({ src: '10.0.0.1', dst: '192.0.2.1' }),
  udp({ sport: 1234, dport: 443 }),
  payload('hello'),
);
const hex = Buffer.from(given.bytes).toString('hex');

describe('one packet in hex', () => {
  test('what the program did is one line', () => {
    const { code, stdout, stderr } = cli(['run', actions, '--program', 'pass', '--hex', hex]);
    expect(stderr).toBe('');
    expect(stdout).toBe('#0  XDP_PASS      10.0.0.1:1234 > 192.0.2.1:443 UDP 47 B  ->  unchanged\n');
    expect(code).toBe(0);
  });

  test('a packet that the program changed is shown', () => {
    const { stdout } = cli(['run', actions, '-p', 'prepend', '--hex', hex]);
    expect(stdout).toMatch(/^#0 .* 47 B {2}-> {2}.* 67 B\n$/);
  });

  test('blanks and colons do not matter, as in what other tools print', () => {
    const spaced = hex.replaceAll(/../g, (byte, at: number) => (at < 12 ? `${byte}:` : `${byte} `));
    expect(cli(['run', actions, '-p', 'pass', '--hex', spaced]).stdout).toContain('UDP 47 B');
  });

  test('a verdict that is no action is shown as a number', () => {
    expect(cli(['run', actions, '-p', 'no_action', '--hex', hex]).stdout).toMatch(/^#0 {2}4294967274 /);
  });

  test('several are counted', () => {
    const { stdout } = cli(['run', actions, '-p', 'drop', '--hex', hex, '--hex', hex, '--lines', '1']);
    expect(stdout.split('\n')).toEqual([
      '#0  XDP_DROP      10.0.0.1:1234 > 192.0.2.1:443 UDP 47 B  ->  unchanged',
      '... and 1 more',
      '2 packets: 2 XDP_DROP',
      '',
    ]);
  });

  test('--repeat runs each packet again and again, and prints the mean time', () => {
    const { stdout } = cli(['run', actions, '-p', 'prepend', '--hex', hex, '--repeat', '100']);
    // Were it run on its own output, the headroom would be gone after 10 times.
    expect(stdout).toMatch(/^#0 {2}XDP_TX .* 67 B {2}\d+ ns\n$/);
  });

  test('--set sets variables before the load', () => {
    const run = (...set: string[]): ReturnType<typeof cli> =>
      cli([
        'run',
        objectPath('variables'),
        '-p',
        'add_up',
        '--hex',
        hex,
        ...set.flatMap((one) => ['--set', one]),
      ]);
    expect(run('u8=0x7f', 'u64=18446744073709551615', 'mode=MODE_ON', 'truth=true').stderr).toBe('');
    expect(run('u8=256').stderr).toMatch(/u8.*256.*\[XDP_VALUE_INVALID\]/);
    expect(run('no_such=1')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('[XDP_NOT_FOUND]') as string,
    });
    expect(run('u8')).toMatchObject({ code: 2, stderr: expect.stringContaining('NAME=VALUE') as string });
    expect(run('fixed={"port":').stderr).toContain('is no JSON');
  });
});

describe('a capture', () => {
  test('comes out as pcapng with the verdicts and the times of the packets', () => {
    const directory = scratch();
    const input = join(directory, 'in.pcap');
    const output = join(directory, 'out.pcapng');
    const packets = [1n, 2n].map((timestampNs) => ({ bytes: given.bytes, timestampNs }));
    writeFileSync(input, captureBytes(packets, { format: 'pcap' }));
    const { code, stdout } = cli(['run', actions, '-p', 'prepend', '--pcap', input, '--out', output]);
    expect(code).toBe(0);
    expect(stdout).toContain(`2 packets: 2 XDP_TX\nwritten to ${output}\n`);
    const records = [...readCaptureSync(readFileSync(output))];
    expect(records.map(({ timestampNs }) => timestampNs)).toEqual([1n, 2n]);
    for (const { bytes, verdict } of records) {
      expect(bytes).toHaveLength(given.length + 20);
      expect(verdict).toEqual({ kind: 'xdp', value: 3n });
    }
  });

  test('that is cut, empty or not there is an error', () => {
    const directory = scratch();
    const write = (name: string, bytes: Uint8Array): string => {
      writeFileSync(join(directory, name), bytes);
      return join(directory, name);
    };
    const whole = captureBytes([given]);
    const run = (path: string): ReturnType<typeof cli> => cli(['run', actions, '-p', 'pass', '--pcap', path]);
    for (const [path, message] of [
      [write('cut.pcapng', whole.subarray(0, -8)), 'the file ends within a block'],
      [write('empty.pcapng', captureBytes([])), 'has no packet'],
      [
        write('short.pcapng', captureBytes([given], { interfaces: [{ snapLength: 20 }] })),
        'cut to 20 of 47 bytes',
      ],
      [join(directory, 'none.pcap'), 'ENOENT'],
      [directory, 'is a directory'],
    ] as const) {
      const { code, stderr } = run(path);
      expect(stderr).toContain(message);
      expect(code).toBe(1);
    }
  });
});

describe('what is wrong is said, with exit code 2 for the command line and 1 for the rest', () => {
  test.each([
    [2, 'which object file?', []],
    [2, 'one object file at a time', [actions, 'other.o', '--hex', hex]],
    [2, 'which packets?', [actions]],
    [2, 'either --hex or --pcap', [actions, '--hex', hex, '--pcap', 'x.pcap']],
    [2, 'choose one with --program: aborted, drop, pass', [actions, '--hex', hex]],
    [2, '"g" is no hex digit', [actions, '--hex', '0g']],
    [2, 'half a byte', [actions, '--hex', '012']],
    [2, 'no hex digits', [actions, '--hex', '']],
    [2, '--repeat must be a whole number', [actions, '-p', 'pass', '--hex', hex, '--repeat', '1.5']],
    [2, 'repeat must be a whole number from 1', [actions, '-p', 'pass', '--hex', hex, '--repeat', '0']],
    [1, 'XDP_NOT_FOUND', [actions, '-p', 'no_such', '--hex', hex]],
    [1, 'XDP_PACKET_TOO_LONG', [actions, '-p', 'pass', '--hex', '00'.repeat(5000)]],
    [1, 'XDP_OBJECT_INVALID', ['/etc/hostname', '--hex', hex]],
    [1, 'XDP_LOAD_FAILED', [objectPath('refused'), '--hex', hex]],
  ] as const)('%i: %s', (code, message, args) => {
    const result = cli(['run', ...args]);
    expect(result.stderr).toContain(message);
    expect(result.stdout).toBe('');
    expect(result.code).toBe(code);
  });
});
