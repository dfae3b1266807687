/** Where the addon does not run: an error that says why and what to do, and never a stack trace of the linker's. */

import { expect, test } from 'vitest';
import { addonLoadError, load } from '#dist/native.js';
import { thrownBy } from '../support/errors.ts';

test.each(['darwin', 'win32', 'freebsd'])('on %s', (platform) => {
  const error = thrownBy(() => load(platform, 'x64'));
  expect(error.code).toBe('XDP_UNSUPPORTED_PLATFORM');
  expect(error.message).toContain(platform);
  expect(error.message).toContain('Linux');
});

test('on an architecture without a build', () => {
  const error = thrownBy(() => load('linux', 's390x'));
  expect(error.code).toBe('XDP_UNSUPPORTED_PLATFORM');
  expect(error.message).toContain('linux-s390x');
  expect(error.message).toContain('make -C native');
});

test.each<[string, string, string, string]>([
  [
    'without libbpf',
    'libbpf.so.1: cannot open shared object file: No such file or directory',
    'XDP_LIBRARY_MISSING',
    'apt-get install libbpf1',
  ],
  [
    'with an old libc',
    "/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.38' not found",
    'XDP_LIBRARY_MISSING',
    'older than the native addon needs',
  ],
  [
    'with an old libbpf',
    "/lib/libbpf.so.1: version `LIBBPF_1.3.0' not found (required by xdptest.node)",
    'XDP_LIBRARY_MISSING',
    'older than the native addon needs',
  ],
  [
    'with a file for another machine',
    'xdptest.node: wrong ELF class: ELFCLASS32',
    'XDP_UNSUPPORTED_PLATFORM',
    'no addon for this machine',
  ],
  ['for a reason of its own', 'something new', 'XDP_UNSUPPORTED_PLATFORM', 'something new'],
])('%s', (_, text, code, words) => {
  const cause = new Error(text);
  const error = addonLoadError('/x/xdptest.node', cause);
  expect(error.code).toBe(code);
  expect(error.message).toContain(words);
  expect(error.cause).toBe(cause);
});
