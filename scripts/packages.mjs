/** The system packages that the project needs: what is missing is installed with apt, or the line to run is printed. */
import { accessSync } from 'node:fs';
import { rootPrefix } from './privileges.mjs';
import { findProgram, giveUp, outputOf, run } from './run.mjs';

const program = (name) => () => findProgram(name) !== undefined;
const file = (path) => () => {
  try {
    accessSync(path);
    return true;
  } catch {
    return false;
  }
};

/** Without these nothing can be built. */
const required = {
  clang: program('clang'),
  gcc: program('cc'),
  make: program('make'),
  'pkg-config': program('pkg-config'),
  'libc6-dev': file('/usr/include/stdio.h'),
  'linux-libc-dev': file('/usr/include/linux/bpf.h'),
  'libbpf-dev': () => outputOf(['pkg-config', '--exists', 'libbpf']) !== undefined,
};

/** Without these some tests are skipped, and say so. */
const forTests = {
  tshark: program('tshark'),
  gotestsum: program('gotestsum'),
  iproute2: program('ip'),
  'qemu-system-x86': program('qemu-system-x86_64'),
  'busybox-static': program('busybox'),
  'xz-utils': program('xz'),
};

const missingOf = (packages) =>
  Object.entries(packages)
    .filter(([, isThere]) => !isThere())
    .map(([name]) => name);

/** apt's lists may be absent (a fresh container) or stale: they are fetched only when an install fails without. */
function install(prefix, names) {
  // sudo drops the environment, so the variable is set behind it.
  const apt = [
    ...prefix,
    'env',
    'DEBIAN_FRONTEND=noninteractive',
    'apt-get',
    '-qq',
    '-o',
    'Dpkg::Use-Pty=0',
    '-o',
    'DPkg::Lock::Timeout=300',
  ];
  const command = [...apt, 'install', '-y', '--no-install-recommends', ...names];
  console.log(`installing ${names.join(' ')}`);
  return run(command) || (run([...apt, 'update']) && run(command));
}

/** Makes sure that the packages are there; `tests` says whether those for tests are wanted too. */
export function ensurePackages({ tests }) {
  const needed = missingOf(required);
  const wanted = tests ? missingOf(forTests) : [];
  if (needed.length + wanted.length === 0) return;
  const line = `apt-get install -y --no-install-recommends ${[...needed, ...wanted].join(' ')}`;
  const prefix = findProgram('apt-get') === undefined ? undefined : rootPrefix();
  if (prefix === undefined) {
    if (needed.length > 0) giveUp(`Some system packages are missing. As root, run:\n\n  ${line}\n`);
    console.warn(`Some tests will be skipped for want of system packages. As root, run:\n\n  ${line}\n`);
    return;
  }
  if (needed.length > 0 && (!install(prefix, needed) || missingOf(required).length > 0)) {
    giveUp(`Installing system packages failed. As root, run:\n\n  apt-get update && ${line}\n`);
  }
  if (wanted.length > 0 && !install(prefix, wanted)) {
    console.warn(`Some tests will be skipped: installing ${wanted.join(' ')} failed.`);
  }
}
