/** Wireshark's own tools as the second judge: they read what we write, and we read what they write. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CaptureWriter, captureBytes, readCaptureSync } from 'xdptest/packet';
import { CaptureBuilder, frame } from '../../support/capture-builder.ts';
import { needs } from '../../support/needs.ts';

const tools = ['tshark', 'capinfos', 'editcap', 'mergecap', 'text2pcap'];
const missing = tools.filter((tool) => {
  try {
    execFileSync(tool, ['--version'], { stdio: 'ignore' });
    return false;
  } catch {
    return true;
  }
});

describe("Wireshark's tools", () => {
  needs(missing.length === 0 ? undefined : `${missing.join(', ')} not installed: apt install tshark`);
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'xdptest-pcap-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const file = (name: string) => join(folder, name);
  const save = (name: string, bytes: Uint8Array) => {
    writeFileSync(file(name), bytes);
    return file(name);
  };
  const run = (tool: string, ...args: string[]) =>
    execFileSync(tool, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const fields = (path: string, ...names: string[]) =>
    run('tshark', '-r', path, '-T', 'fields', '-E', 'separator=|', ...names.flatMap((name) => ['-e', name]))
      .trimEnd()
      .split('\n')
      .map((line) => line.split('|'));

  const times = [1_700_000_000_123_456_789n, 1_700_000_001_000_000_001n, 1_700_000_002_999_999_999n];

  function sample(): CaptureWriter {
    const writer = new CaptureWriter({
      interfaces: [{ name: 'lb0', snapLength: 50 }],
      comment: 'the file',
    });
    writer.addInterface({ name: 'out', description: 'behind it' });
    return writer
      .add(frame(1), { timestampNs: times[0]!, verdict: 'XDP_TX', comments: ['first é'], flags: 1 })
      .add(frame(2, 61), { timestampNs: times[1]!, interfaceId: 1, verdict: 0x1_0000_0002n })
      .add(frame(3, 47), { timestampNs: times[2]!, interfaceId: 1, originalLength: 1000 });
  }

  test('tshark shows verdicts, comments, interfaces, times and lengths of our pcapng', () => {
    const path = save('ours.pcapng', sample().take());
    expect(
      fields(
        path,
        'frame.time_epoch',
        'frame.interface_name',
        'frame.cap_len',
        'frame.len',
        'frame.comment',
        'frame.verdict.ebpf_xdp',
      ),
    ).toEqual([
      ['1700000000.123456789', 'lb0', '50', '60', 'first é', '3'],
      ['1700000001.000000001', 'out', '61', '61', '', '4294967298'],
      ['1700000002.999999999', 'out', '47', '1000', '', ''],
    ]);
    const json = JSON.parse(run('tshark', '-r', path, '-T', 'json')) as {
      _source: { layers: { frame: Record<string, unknown> } };
    }[];
    expect(JSON.stringify(json[0]!._source.layers.frame)).toMatch(/"frame\.verdict\.ebpf_xdp":"3"/);
  });

  test('capinfos reads both formats of ours to the end', () => {
    const ng = run('capinfos', '-M', save('whole.pcapng', sample().take()));
    expect(ng).toMatch(/File type:.*pcapng/);
    expect(ng).toMatch(/Number of packets:\s+3\b/);
    expect(ng).toMatch(/Number of interfaces in file: 2/);
    expect(ng).toMatch(/Capture comment:\s+the file/);
    expect(ng).toMatch(/Capture application:\s+xdptest/);
    const classic = save(
      'classic.pcap',
      captureBytes(
        times.map((timestampNs, i) => ({ bytes: frame(i), timestampNs })),
        { format: 'pcap' },
      ),
    );
    expect(run('capinfos', '-M', classic)).toMatch(/File type:.*(nsecpcap|nanosecond)/);
    expect(fields(classic, 'frame.time_epoch').flat()).toEqual([
      '1700000000.123456789',
      '1700000001.000000001',
      '1700000002.999999999',
    ]);
  });

  test('the verdict of a big-endian file is read as Wireshark reads it', () => {
    const b = new CaptureBuilder('big');
    b.section()
      .interface(1, 0)
      .enhancedPacket(0, 0n, frame(1), 60, b.option(7, Buffer.concat([Buffer.of(2), b.u64(4n)])));
    expect(fields(save('big.pcapng', b.bytes), 'frame.verdict.ebpf_xdp')).toEqual([['4']]);
    expect([...readCaptureSync(b.bytes)][0]!.verdict).toEqual({ kind: 'xdp', value: 4n });
  });

  test('we read what editcap makes of ours, in every format that it has of these', () => {
    const path = save('source.pcapng', sample().take());
    const digits: Record<string, bigint> = { pcap: 1000n, nsecpcap: 1n, pcapng: 1n };
    for (const [format, unit] of Object.entries(digits)) {
      // A pcap file cannot hold two interfaces' snap lengths, but it holds their packets.
      run('editcap', '-F', format, path, file(`${format}.out`));
      const records = [...readCaptureSync(readFileSync(file(`${format}.out`)))];
      expect(
        records.map((r) => [r.bytes.length, r.originalLength, r.timestampNs]),
        format,
      ).toEqual([
        [50, 60, (times[0]! / unit) * unit],
        [61, 61, (times[1]! / unit) * unit],
        [47, 1000, (times[2]! / unit) * unit],
      ]);
      if (format === 'pcapng') {
        expect(records.map((r) => r.verdict)).toEqual([
          { kind: 'xdp', value: 3n },
          { kind: 'xdp', value: 0x1_0000_0002n },
          undefined,
        ]);
        expect(records[0]!.comments).toEqual(['first é']);
      }
    }
    run('editcap', '-a', '2:added later', '-s', '40', path, file('cut.pcapng'));
    const cut = [...readCaptureSync(readFileSync(file('cut.pcapng')))];
    expect(cut.map((r) => r.bytes.length)).toEqual([40, 40, 40]);
    expect(cut[1]!.comments).toEqual(['added later']);
  });

  test('we read what mergecap and text2pcap make', () => {
    const one = save('one.pcapng', captureBytes([{ bytes: frame(1), timestampNs: times[0]! }]));
    const two = save(
      'two.pcap',
      captureBytes([{ bytes: frame(2), timestampNs: times[1]! }], { format: 'pcap' }),
    );
    run('mergecap', '-w', file('merged.pcapng'), two, one);
    const capture = readCaptureSync(readFileSync(file('merged.pcapng')));
    expect([...capture].map((r) => [r.bytes.at(-1), r.timestampNs])).toEqual([
      [1, times[0]],
      [2, times[1]],
    ]);
    expect(capture.interfaces.length).toBeGreaterThan(0);

    const hex = [...frame(9)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    save('dump.txt', Buffer.from(`0000 ${hex}\n`));
    run('text2pcap', '-F', 'pcap', file('dump.txt'), file('text.pcap'));
    expect([...readCaptureSync(readFileSync(file('text.pcap')))][0]!.bytes).toEqual(frame(9));
  });
});
