// Boots real kernels. One machine at a time: under emulation each takes a processor.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runInKernel } from 'xdptest/vm';
import { parseJunit } from '#dist/vm/junit.js';
import { needs } from '../support/needs.ts';
import { isEmptyDirectory, processesWith, startVm, until, vmObstacle } from '../support/vm.ts';

// The first time, the kernels are fetched: about 130 MB.
const index = join(import.meta.dirname, '../../dist/index.js');
const obstacle = await vmObstacle(['5.10', '6.1']);

describe('machines with other kernels', { timeout: 400_000, retry: 1 }, () => {
  needs(obstacle);

  let directory: string;
  let temporary: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'vm-machine-'));
    temporary = join(directory, 'tmp');
    mkdirSync(temporary);
    writeFileSync(join(directory, "it's here.txt"), 'a file of the host\n');
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const run = (args: readonly string[], input?: string): ReturnType<typeof startVm> =>
    startVm(args, { env: { TMPDIR: temporary }, cwd: directory, ...(input === undefined ? {} : { input }) });

  test('a command runs on 5.10 and 6.1 with the files of the host, and one report comes of it', async () => {
    const script = `
set -e
test "$(id -u)" = 0
test "$(pwd)" = "${directory}"
cat "it's here.txt"
# Writes vanish with the machine.
echo changed > "it's here.txt"; test "$(cat it*)" = changed; echo new > new.txt
# The machine's own devices and file systems, and no way out.
test -e /dev/fd/0; test -d /dev/pts; mountpoint -q /sys/fs/bpf; mountpoint -q /sys/kernel/tracing
! grep -v 'lo:' /proc/net/dev | grep ':'
# One module was asked for and is loaded; another one loads by itself when it is needed.
grep -q '^bonding ' /proc/modules; ! grep -q '^veth ' /proc/modules
node -e 'console.log(process.version, process.stdout.isTTY)'
node --input-type=module -e 'import { probeKernel } from "${index}"; console.log(probeKernel().dispatcher.state)'
echo "<testsuite><testcase name='kernel'/><testcase name='other'><skipped message='no ctx'/></testcase></testsuite>" > $XDPTEST_JUNIT
echo "on $XDPTEST_KERNEL" >&2
exit \${XDPTEST_KERNEL%.*}
`;
    const end = await run([
      ...['--kernel', '5.10,6.1', '--modules', 'bonding', '--junit', 'all.xml', '--json', 'all.json'],
      ...['--', 'sh', '-c', script],
    ]).finished;
    // exit 5 and exit 6: that of the first kernel counts.
    expect(end.code, end.stdout + end.stderr).toBe(5);
    expect(end.stdout).toContain('5.10 | a file of the host\n');
    expect(end.stdout).toContain('6.1  | a file of the host\n');
    expect(end.stdout).toContain(`5.10 | ${process.version} undefined\n`);
    // The reason for all of this: before 5.17 every test run rewrites the dispatcher.
    expect(end.stdout).toContain('5.10 | always\n');
    expect(end.stdout).toContain('6.1  | bypassed\n');
    expect(end.stderr).toBe('5.10 | on 5.10\n6.1  | on 6.1\n');
    expect(end.stdout).toMatch(
      /\n5\.10 +5\.10\.\d+-\d+-amd64 +1 +0 +1 +\d+\.\d {2}exit code 5\n6\.1 +6\.1\.\d+-\d+-amd64 +1 +0 +1 +\d+\.\d {2}exit code 6\n/,
    );
    expect(end.stdout).toContain('skipped on 5.10:\n     1  no ctx\n');
    expect(
      parseJunit(readFileSync(join(directory, 'all.xml'), 'utf8'))?.map((record) => record.name),
    ).toEqual([
      '[5.10] kernel',
      '[5.10] other',
      '[5.10] the run on this kernel',
      '[6.1] kernel',
      '[6.1] other',
      '[6.1] the run on this kernel',
    ]);
    expect(readFileSync(join(directory, "it's here.txt"), 'utf8')).toBe('a file of the host\n');
    expect(existsSync(join(directory, 'new.txt'))).toBe(false);
    expect(isEmptyDirectory(temporary)).toBe(true);
  });

  test('both streams come through byte for byte; reports are given back; a kernel loads the modules it needs', async () => {
    const program = `
const all = Buffer.from(Array.from({ length: 65536 }, (_, i) => i & 255));
process.stdout.write(all, () => process.stderr.write(Buffer.from([0, 255, 13, 10, 4, 3])));
require('fs').writeFileSync(process.env.XDPTEST_REPORT_DIR + '/bytes.bin', all);`;
    let stdout = Buffer.alloc(0);
    let stderr = Buffer.alloc(0);
    const result = await runInKernel({
      kernel: '6.1',
      command: ['sh', '-c', 'node -e "$0" && ip link add type veth && test -d /sys/class/net/veth1', program],
      cwd: directory,
      onOutput: (_kernel, stream, chunk) => {
        if (stream === 'stdout') stdout = Buffer.concat([stdout, chunk]);
        if (stream === 'stderr') stderr = Buffer.concat([stderr, chunk]);
      },
    });
    expect(result).toMatchObject({ outcome: 'passed', exitCode: 0, attempts: 1, warnings: [] });
    const all = Buffer.from(Array.from({ length: 65536 }, (_, i) => i & 255));
    expect(stdout.equals(all)).toBe(true);
    expect([...stderr]).toEqual([0, 255, 13, 10, 4, 3]);
    expect(Buffer.from(result.files.get('bytes.bin') ?? []).equals(all)).toBe(true);
  });

  test('a panic is shown with the console, and is tried only once', async () => {
    const result = await runInKernel({
      kernel: '6.1',
      command: ['sh', '-c', 'echo before; sleep 1; echo c > /proc/sysrq-trigger; sleep 60'],
    });
    expect(result).toMatchObject({ outcome: 'panic', exitCode: undefined, stdout: 'before\n', attempts: 1 });
    expect(result.consoleTail.join('\n')).toMatch(
      /Kernel panic - not syncing: sysrq triggered crash[\s\S]*Call Trace/,
    );
  });

  test('a lockup report is no pass, although the command exits 0', async () => {
    // What watchdog_timer_fn() prints, at its level; waiting for a real one takes 22 s of a hung kernel.
    const line = 'watchdog: BUG: soft lockup - CPU#1 stuck for 22s! [node:311]';
    const result = await runInKernel({
      kernel: '5.10',
      command: ['sh', '-c', `echo '<0>${line}' > /dev/kmsg`],
    });
    expect(result).toMatchObject({ outcome: 'lockup', exitCode: 0 });
    expect(result.reason).toBe(`${line} (the command's exit code was 0)`);
    expect(result.consoleTail.join('\n')).toContain(line);
  });

  test('a hang is ended, and the console tells what ran', async () => {
    const result = await runInKernel({ kernel: '6.1', command: ['sleep', '321'], timeoutMs: 2000 });
    expect(result).toMatchObject({ outcome: 'timed out', reason: 'no end within 2 s', attempts: 1 });
    expect(result.consoleTail.join('\n')).toMatch(/ S 1 \d+ \d+ sleep 321/);
  });

  test('a kernel that does not come up is tried twice and said to be so', async () => {
    const result = await runInKernel({
      kernel: '6.1',
      command: ['true'],
      append: 'rdinit=/nowhere',
      memoryMiB: 512,
    });
    expect(result).toMatchObject({ outcome: 'not booted', attempts: 2 });
    expect(result.reason).toMatch(
      /the machine did not come up \(panic: Kernel panic - not syncing: VFS: Unable to mount root fs/,
    );
    expect(result.firstTry).toBe(result.reason);
  });

  test('without a shared root the program, its libraries and the project are taken along', async () => {
    writeFileSync(join(directory, 'package.json'), '{"name":"p","type":"module"}');
    writeFileSync(join(directory, 'main.js'), "import { release } from 'node:os'; console.log(release());");
    const result = await runInKernel({
      kernel: '6.1',
      command: ['node', 'main.js'],
      cwd: directory,
      root: 'initramfs',
    });
    expect(result.how).toMatch(/initramfs root$/);
    expect(result.stdout, result.stderr).toBe(`${result.release}\n`);
    expect(result.outcome).toBe('passed');
  });

  test('--keep gives a shell after the command', async () => {
    const running = run(
      ['-k', '6.1', '--keep', '--', 'sh', '-c', 'echo first; exit 3'],
      'echo $((6*7))-$XDPTEST_KERNEL\nexit\n',
    );
    const end = await running.finished;
    expect(end.stdout).toContain('42-6.1');
    expect(end.stdout).toContain('6.1 | first\n');
    expect(end.code).toBe(3);
  });

  test.for(['SIGINT', 'SIGKILL'] as const)(
    '%s to xdptest leaves no QEMU process and no file',
    async (signal) => {
      const running = run(['-k', '6.1', '--', 'sh', '-c', 'echo started; sleep 300']);
      await running.says('started');
      const before = processesWith(temporary);
      expect(
        before.filter((line) => line.includes('/qemu-system')),
        before.join('\n'),
      ).toHaveLength(1);
      running.kill(signal);
      const end = await running.finished;
      expect(end.code).toBe(signal === 'SIGINT' ? 130 : null);
      expect(
        await until(() => processesWith(temporary).length === 0, 5000),
        processesWith(temporary).join('\n'),
      ).toBe(true);
      expect(await until(() => isEmptyDirectory(temporary), 5000)).toBe(true);
    },
  );
});
