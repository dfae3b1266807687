import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { mirrorFromTargets, parseMadison } from '#dist/vm/apt.js';
import { compareVersions, kernelsFromPackages, matchesKernel } from '#dist/vm/debian.js';
import { parseKernelName } from '#dist/vm/kernels.js';
import { findProgram } from '#dist/vm/tools.js';

describe("a kernel's name", () => {
  test.for([
    ['host', { kind: 'host' }],
    ['5.10', { kind: 'debian', wanted: '5.10' }],
    ['debian:5.10', { kind: 'debian', wanted: '5.10' }],
    ['debian:bookworm', { kind: 'debian', wanted: 'bookworm' }],
    ['debian:trixie-backports', { kind: 'debian', wanted: 'trixie-backports' }],
    ['6.1.0-57-amd64', { kind: 'debian', wanted: '6.1.0-57-amd64' }],
    ['debian:7.3.4-1~bpo13+1', { kind: 'debian', wanted: '7.3.4-1~bpo13+1' }],
    ['/boot/vmlinuz', { kind: 'path', path: '/boot/vmlinuz' }],
  ] as const)('%s', ([name, meaning]) => {
    expect(parseKernelName(name)).toEqual(meaning);
  });

  test('a path may be relative', () => {
    expect(parseKernelName('./linux')).toEqual({ kind: 'path', path: `${process.cwd()}/linux` });
    expect(parseKernelName('linux-image.deb')).toEqual({
      kind: 'path',
      path: `${process.cwd()}/linux-image.deb`,
    });
  });

  test.for(['', 'bookworm', 'debian:', 'debian:5', 'ubuntu:22.04', '5', 'five'])(
    '%j is refused, with what is known',
    (name) => {
      expect(() => parseKernelName(name)).toThrow(/no kernel's name; known are host, debian:VERSION/);
    },
  );
});

describe('versions of packages', () => {
  const versions = [
    '5.10.262-1',
    '6.1.9-1',
    '6.1.192-3',
    '6.1.192-3~deb11u1',
    '6.12.1-1',
    '7.3.4-1',
    '7.3.4-1~bpo13+1',
    '7.3.4-1+b1',
  ];

  test('are ordered by numbers', () => {
    expect(compareVersions('6.1.9-1', '6.12.1-1')).toBeLessThan(0);
    expect(compareVersions('6.1.192-3', '6.1.9-1')).toBeGreaterThan(0);
    expect(compareVersions('7.3.4-1~bpo13+1', '7.3.4-1')).toBeLessThan(0);
    expect(compareVersions('6.1.9-1', '6.1.9-1')).toBe(0);
  });

  test('are ordered as dpkg orders them', ({ skip }) => {
    skip(findProgram('dpkg') === undefined, 'dpkg is not there');
    for (const a of versions) {
      for (const b of versions) {
        const { status } = spawnSync('dpkg', ['--compare-versions', a, 'lt', b]);
        expect(compareVersions(a, b) < 0, `${a} < ${b}`).toBe(status === 0);
      }
    }
  });
});

const madison = `
 linux-image-5.10.0-46-amd64 | 5.10.262-1 | http://deb.debian.org/debian-security bullseye-security/main amd64 Packages
 linux-image-5.10.0-46-cloud-amd64 | 5.10.262-1 | http://deb.debian.org/debian-security bullseye-security/main amd64 Packages
 linux-image-5.10.0-30-amd64 | 5.10.218-1 | http://deb.debian.org/debian bullseye/main amd64 Packages
 linux-image-6.1.0-0.deb11.52-amd64 | 6.1.190-1~deb11u1 | http://deb.debian.org/debian-security bullseye-security/main amd64 Packages
 linux-image-6.1.0-57-amd64 | 6.1.192-3 | http://deb.debian.org/debian-security bookworm-security/main amd64 Packages
 linux-image-6.12.118+deb13-amd64 | 6.12.118-1 | http://deb.debian.org/debian-security trixie-security/main amd64 Packages
 linux-image-7.0.4+deb13-amd64 | 7.0.4-1~bpo13+1 | http://deb.debian.org/debian trixie-backports/main amd64 Packages
 linux-binary-7.0.4+deb13-amd64 | 7.0.4-1~bpo13+1 | http://deb.debian.org/debian trixie-backports/main amd64 Packages
 linux-image-7.3.4+deb13-amd64 | 7.3.4-1~bpo13+1 | http://deb.debian.org/debian trixie-backports/main amd64 Packages
 linux-binary-7.3.4+deb13-amd64 | 7.3.4-1~bpo13+1 | http://deb.debian.org/debian trixie-backports/main amd64 Packages
 linux-modules-7.3.4+deb13-amd64 | 7.3.4-1~bpo13+1 | http://deb.debian.org/debian trixie-backports/main amd64 Packages
 linux-base-7.3.4+deb13-amd64 | 7.3.4-1~bpo13+1 | http://deb.debian.org/debian trixie-backports/main amd64 Packages
 linux-signed-amd64 | 6.1.192+3 | http://deb.debian.org/debian-security bookworm-security/main Sources
`;

describe('the kernels in an archive', () => {
  const kernels = kernelsFromPackages(parseMadison(madison));
  const find = (wanted: string): string | undefined =>
    kernels.find((kernel) => matchesKernel(kernel, wanted))?.release;

  test('are the whole ones, newest first: no cloud kernels, none whose modules have gone', () => {
    expect(kernels.map((kernel) => kernel.release)).toEqual([
      '7.3.4+deb13-amd64',
      '6.12.118+deb13-amd64',
      '6.1.0-57-amd64',
      '6.1.0-0.deb11.52-amd64',
      '5.10.0-46-amd64',
      '5.10.0-30-amd64',
    ]);
  });

  test('since 6.19 come in several packages', () => {
    expect(kernels[0]?.packages).toEqual([
      'linux-binary-7.3.4+deb13-amd64',
      'linux-modules-7.3.4+deb13-amd64',
      'linux-base-7.3.4+deb13-amd64',
    ]);
    expect(kernels[1]?.packages).toEqual(['linux-image-6.12.118+deb13-amd64']);
  });

  test('are found by series, version, release and suite; the newest wins', () => {
    expect(find('5.10')).toBe('5.10.0-46-amd64');
    expect(find('5.10.218-1')).toBe('5.10.0-30-amd64');
    expect(find('5.10.0-30-amd64')).toBe('5.10.0-30-amd64');
    // 6.1 is not 6.12.
    expect(find('6.1')).toBe('6.1.0-57-amd64');
    expect(find('6.12')).toBe('6.12.118+deb13-amd64');
    expect(find('bookworm')).toBe('6.1.0-57-amd64');
    expect(find('trixie')).toBe('6.12.118+deb13-amd64');
    expect(find('trixie-backports')).toBe('7.3.4+deb13-amd64');
    expect(find('4.19')).toBeUndefined();
  });
});

describe("the system's mirror", () => {
  const official = {
    main: 'http://deb.debian.org/debian',
    security: 'http://deb.debian.org/debian-security',
  };

  test("is taken from apt's own reading of its sources", () => {
    const targets = `http://mirror.example/debian/|bookworm|main|Debian
http://mirror.example/debian/|bookworm|contrib|Debian
http://mirror.example/security/|bookworm-security|main|Debian
http://other.example/debian/|bookworm|main|Somebody else
`;
    expect(mirrorFromTargets(targets)).toEqual({
      main: 'http://mirror.example/debian',
      security: 'http://mirror.example/security',
    });
  });

  test('before the first update only the path tells whose archive it is', () => {
    const targets = `http://mirror.example/debian/|bookworm|main|$(ORIGIN)
http://vendor.example/apt/|stable|main|$(ORIGIN)
`;
    expect(mirrorFromTargets(targets)).toEqual({ ...official, main: 'http://mirror.example/debian' });
  });

  test("is Debian's own where the system is not Debian", () => {
    expect(mirrorFromTargets('http://archive.ubuntu.com/ubuntu/|noble|main|Ubuntu\n')).toEqual(official);
    expect(mirrorFromTargets('')).toEqual(official);
  });
});
