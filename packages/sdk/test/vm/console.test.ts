import { describe, expect, test } from 'vitest';
import { classifyConsoleLine, consoleReader } from '#dist/vm/console.js';

describe("a kernel's console", () => {
  // Lines as kernels from 5.10 to 7.3 print them.
  test.for([
    ['panic', '[    3.1] Kernel panic - not syncing: sysrq triggered crash'],
    ['panic', 'Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)'],
    ['oops', '[   12.0] BUG: kernel NULL pointer dereference, address: 0000000000000008'],
    ['oops', '[   12.0] BUG: unable to handle page fault for address: ffffc90000a3d000'],
    ['oops', '[   12.0] Oops: 0000 [#1] SMP PTI'],
    ['oops', '[   12.0] Oops: Oops: 0002 [#1] PREEMPT SMP NOPTI'],
    ['oops', '[   12.0] general protection fault, probably for non-canonical address 0xdead: 0000 [#1]'],
    ['oops', '[   12.0] kernel BUG at net/core/skbuff.c:110!'],
    ['oops', '[   12.0] invalid opcode: 0000 [#1] SMP'],
    ['oops', '[   12.0] BUG: KASAN: use-after-free in xdp_do_redirect+0x1/0x2'],
    ['oops', '[   12.0] BUG: scheduling while atomic: node/120/0x00000002'],
    ['oops', '[   12.0] BUG: Bad page state in process node  pfn:00c25'],
    ['lockup', '[   48.1] watchdog: BUG: soft lockup - CPU#1 stuck for 22s! [node:311]'],
    ['lockup', '[   48.1] NMI watchdog: Watchdog detected hard LOCKUP on cpu 1'],
    ['lockup', '[   48.1] watchdog: CPU1: Watchdog detected hard LOCKUP on cpu 1'],
    ['lockup', '[   48.1] rcu: INFO: rcu_sched self-detected stall on CPU'],
    [
      'lockup',
      '[   48.1] rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks: { 1-... } 21 jiffies',
    ],
    ['lockup', '[   48.1] rcu: INFO: rcu_tasks detected stalls on tasks:'],
    ['lockup', '[  245.7] INFO: task node:311 blocked for more than 120 seconds.'],
    ['lockup', '[   48.1] BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 nice=0 stuck for 33s!'],
    [undefined, '[    0.1] smpboot: CPU0: AMD QEMU Virtual CPU version 2.5+'],
    [undefined, '[    0.8] mtrr: your CPUs had inconsistent fixed MTRR settings'],
    [undefined, '[    0.8] acpi PNP0A03:00: fail to add MMCONFIG information, BUGS: none'],
    [undefined, '[    0.8] Debugging information: oops=panic'],
    [undefined, '[    5.0] reboot: Power down'],
    [undefined, '[    0.0] Kernel command line: console=ttyS0 oops=panic panic=-1'],
    [undefined, '[    9.0] watchdog: softlockup watchdog enabled'],
  ] as const)('%s: %s', ([trouble, line]) => {
    expect(classifyConsoleLine(line)).toBe(trouble);
  });

  test('the worst counts, the first comes first, wherever the chunks end', () => {
    const text =
      'booting\r\n[    1.0] BUG: soft lockup - CPU#0 stuck for 22s!\r\n[    2.0] Oops: 0000 [#1]\r\n' +
      '[    3.0] Kernel panic - not syncing: Fatal exception\r\n[    4.0] ---[ end Kernel panic';
    for (const size of [1, 2, 7, 1000]) {
      const reader = consoleReader();
      for (let at = 0; at < text.length; at += size) reader.push(Buffer.from(text.slice(at, at + size)));
      expect(reader.worst()).toEqual({
        trouble: 'panic',
        line: 'Kernel panic - not syncing: Fatal exception',
      });
      expect(reader.reports().map((report) => report.trouble)).toEqual(['lockup', 'oops', 'panic']);
      expect(reader.tail().at(-1)).toBe('[    4.0] ---[ end Kernel panic');
    }
  });

  test('the tail begins shortly before the first report, however much follows it', () => {
    const reader = consoleReader();
    for (let i = 0; i < 8000; i++) reader.push(Buffer.from(`line ${i}\n`));
    reader.push(Buffer.from('Kernel panic - not syncing: x\n'));
    for (let i = 0; i < 3000; i++) reader.push(Buffer.from(`after ${i}\n`));
    expect(reader.tail().slice(0, 5)).toEqual([
      'line 7997',
      'line 7998',
      'line 7999',
      'Kernel panic - not syncing: x',
      'after 0',
    ]);
  });

  test('without a report the tail is the end', () => {
    const reader = consoleReader();
    for (let i = 0; i < 200; i++) reader.push(Buffer.from(`line ${i}\n`));
    expect(reader.tail()).toHaveLength(60);
    expect(reader.tail().at(-1)).toBe('line 199');
    expect(reader.worst()).toBeUndefined();
  });

  test('warnings are told, but are no trouble', () => {
    const reader = consoleReader();
    reader.push(Buffer.from('[ 1.0] WARNING: CPU: 0 PID: 1 at kernel/bpf/core.c:1 x+0x1/0x2\n'));
    reader.push(Buffer.from('[ 1.0] WARNING: kernel/bpf/core.c:1 at x+0x1/0x2, CPU#0: node/1\n'));
    reader.push(Buffer.from('[ 1.0] WARNING: this is no trace\n'));
    expect(reader.warnings()).toEqual([
      'WARNING: CPU: 0 PID: 1 at kernel/bpf/core.c:1 x+0x1/0x2',
      'WARNING: kernel/bpf/core.c:1 at x+0x1/0x2, CPU#0: node/1',
    ]);
    expect(reader.worst()).toBeUndefined();
  });
});
