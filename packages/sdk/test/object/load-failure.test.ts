/** Loads that fail: the whole verifier log is kept, its end is shown, and the program at fault is named. */
import { describe, expect, test } from 'vitest';
import { thrownBy } from '../support/errors.ts';
import { load } from '../support/objects.ts';

describe('a program that the verifier refuses', () => {
  const refusal = () => thrownBy(() => load('refused'));
  // Older kernels show the line of C before the first instruction, too.
  const start = /^(?:;.*\n)*0: /;

  test('is named, although libbpf unloads the others with it', () => {
    const error = refusal();
    expect(error.code).toBe('XDP_LOAD_FAILED');
    expect(error.message).toContain('refused.bpf.o');
    expect(error.message).toContain('program unchecked');
  });

  test('shows the end of the log, where the reason is, and carries all of it', () => {
    const { message, log, errno, syscall } = refusal();
    expect(message).toContain('invalid access to packet');
    expect(log).toMatch(start);
    expect(log).toContain('invalid access to packet, off=0 size=1');
    expect(log).toMatch(/processed \d+ insns/);
    expect(errno).toBe(13);
    expect(syscall).toBe('BPF_PROG_LOAD');
  });

  test('has a whole log even where that is longer than the first buffer: the buffer grows', () => {
    const { message, log, errno } = thrownBy(() =>
      load('refused', { programs: { unchecked: { autoload: false }, refused_late: { autoload: true } } }),
    );
    expect(log!.length).toBeGreaterThan(16 << 20);
    expect(log).toMatch(start);
    expect(log).toContain('invalid access to packet');
    // Not ENOSPC, which is what a buffer that is too small is answered with.
    expect(errno).toBe(13);
    expect(message).toContain('invalid access to packet');
    expect(message).toMatch(/\(\d+ lines before, all in error\.log\)/);
    expect(message.length).toBeLessThan(4000);
  });

  test('leaves no log of other loads behind', () => {
    load('refused', { programs: { unchecked: { autoload: false } } });
    expect(refusal().log!.match(/invalid access to packet/g)).toHaveLength(1);
  });
});

test('a map that the kernel refuses is named, with what libbpf said', () => {
  const inner = { type: 'hash', keySizeBytes: 4, valueSizeBytes: 8, maxEntries: 3 } as const;
  const error = thrownBy(() =>
    load('maps', { maxEntries: { many: 2 ** 32 - 1 }, innerMaps: { outer_hash: inner } }),
  );
  expect(error.code).toBe('XDP_LOAD_FAILED');
  expect(error.message).toContain('many');
});

test('inner maps that the kernel refuses name the outer map', () => {
  const inner = { type: 'lpm_trie', keySizeBytes: 0, valueSizeBytes: 8, maxEntries: 3 } as const;
  const error = thrownBy(() => load('maps', { innerMaps: { outer_hash: inner } }));
  expect(error.message).toContain('outer_hash');
  expect(error.syscall).toBe('BPF_MAP_CREATE');
});
