/** Reads a guest kernel's console: what it reports about itself decides whether a run can be a pass. */

/** What a kernel can report, worst first. */
export type KernelTrouble = 'panic' | 'oops' | 'lockup';

export interface ConsoleReport {
  readonly trouble: KernelTrouble;
  /** The kernel's own line, without the time stamp. */
  readonly line: string;
}

const patterns: readonly (readonly [KernelTrouble, RegExp])[] = [
  ['panic', /Kernel panic - not syncing/],
  ['lockup', /BUG: soft lockup - CPU#/],
  ['lockup', /[Ww]atchdog:? (BUG: )?[Dd]etected [Hh]ard LOCKUP|hard LOCKUP on cpu/],
  // RCU's stall detector: rcu_sched, rcu_preempt, rcu_tasks; self-detected, detected, expedited.
  ['lockup', /INFO: rcu_\w+ (self-)?detected (expedited )?stalls?/],
  ['lockup', /rcu_\w+: ?(grace-period )?kthread (starved|timer wakeup)/],
  ['lockup', /INFO: task .* blocked for more than \d+ seconds/],
  ['lockup', /BUG: workqueue lockup/],
  ['oops', /\b(BUG:|kernel BUG at|Oops:|general protection fault|invalid opcode: \d|double fault:)/],
  ['oops', /Unable to handle kernel/],
];

const warning = /\bWARNING: (CPU: \d+ PID: \d+ at |\S+:\d+ at )/;

const order: readonly KernelTrouble[] = ['lockup', 'oops', 'panic'];

/** Enough for the longest oops with its call trace, and short enough for a terminal. */
const TAIL_LINES = 60;

export interface ConsoleReader {
  push(chunk: Uint8Array): void;
  /** Everything that makes a pass impossible, in order. */
  reports(): readonly ConsoleReport[];
  /** The worst kind among them. */
  worst(): ConsoleReport | undefined;
  /** Lines with WARNING: shown, but no failure by themselves. */
  warnings(): readonly string[];
  /** The last lines; from the first report on when there is one. */
  tail(): readonly string[];
}

/** What one line says, if it says something. */
export function classifyConsoleLine(line: string): KernelTrouble | undefined {
  return patterns.find(([, pattern]) => pattern.test(line))?.[0];
}

const strip = (line: string): string => line.replace(/^\s*(\[ *\d+\.\d+\](\[ *[TC]\d+\])?) */, '');

/** Collects and classifies the console's lines. */
export function consoleReader(onLine: (line: string) => void = () => {}): ConsoleReader {
  const lines: string[] = [];
  const reports: ConsoleReport[] = [];
  const warnings: string[] = [];
  let pending = '';
  let firstReport: number | undefined;
  let dropped = 0;

  const take = (raw: string): void => {
    const line = raw.replace(/\r+$/, '');
    lines.push(line);
    onLine(line);
    const trouble = classifyConsoleLine(line);
    if (trouble !== undefined) {
      reports.push({ trouble, line: strip(line) });
      // Some context before it: what the kernel was doing.
      firstReport ??= Math.max(0, lines.length + dropped - 4);
    }
    if (warning.test(line)) warnings.push(strip(line));
    if (lines.length > 5000) dropped += lines.splice(0, 1000).length;
  };

  return {
    push(chunk) {
      const parts = (pending + Buffer.from(chunk).toString('latin1')).split('\n');
      pending = parts.pop() ?? '';
      for (const part of parts) take(part);
    },
    reports: () => reports,
    worst: () =>
      reports.reduce<ConsoleReport | undefined>(
        (worst, report) =>
          worst === undefined || order.indexOf(report.trouble) > order.indexOf(worst.trouble)
            ? report
            : worst,
        undefined,
      ),
    warnings: () => warnings,
    tail() {
      const all = pending === '' ? lines : [...lines, pending];
      if (firstReport === undefined) return all.slice(-TAIL_LINES);
      const start = Math.max(0, firstReport - dropped);
      return all.slice(start, start + TAIL_LINES);
    },
  };
}
