/** `xdptest doctor`: what works here, what does not, and what to do about it. */
import { spawnSync } from 'node:child_process';
import { arch, machine, release } from 'node:os';
import { parseArgs } from 'node:util';
import { XdpError } from '../errors.ts';
import { type KernelFacts, type Privileges, probeKernel, readPrivileges } from '../kernel/index.ts';
import { batchEngineRefusal } from '../run/index.ts';
import { EXIT } from './exit.ts';
import { print, styled } from './terminal.ts';

const usage = `usage: xdptest doctor [--json]

Tries what this kernel and this process's privileges allow, and says what works, what does not, and what to do about it.

  --json      print the kernel facts (as probeKernel() gives them), or the error and what is known without privileges

Exit code: 0 when XDP programs can be test-run here, 1 when they cannot, 2 for a wrong command line.
`;

const options = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;

/** One line of the report; `advice` says what to do about a thing that does not work. */
interface Finding {
  readonly topic: string;
  readonly state: 'works' | 'limited' | 'fails';
  readonly text: string;
  readonly advice?: string;
}

export async function doctorCommand(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...argv], options });
  if (values.help === true) {
    process.stdout.write(usage);
    return EXIT.ok;
  }
  let facts: KernelFacts;
  try {
    facts = probeKernel();
  } catch (error) {
    if (!(error instanceof XdpError)) throw error;
    reportFailure(error, values.json === true);
    return EXIT.failed;
  }
  if (values.json === true) print(JSON.stringify(facts, undefined, 2));
  else for (const finding of examine(facts)) print(format(finding));
  return EXIT.ok;
}

function reportFailure(error: XdpError, json: boolean): void {
  const privileges = process.platform === 'linux' ? readPrivileges() : undefined;
  if (json) {
    const { code, message } = error;
    const known = { release: release(), arch: machine(), privileges };
    print(JSON.stringify({ error: { code, message }, ...known }, undefined, 2));
    return;
  }
  print(format({ topic: 'kernel', state: 'works', text: `${release()} ${machine()}` }));
  if (privileges !== undefined) {
    const text = heldWords(privileges);
    print(format({ topic: 'privileges', state: privileges.missing.length > 0 ? 'fails' : 'works', text }));
  }
  print(format({ topic: 'test runs', state: 'fails', text: error.message }));
}

/** From facts to findings. */
function examine(facts: KernelFacts): Finding[] {
  return [
    kernel(facts),
    privileges(facts),
    limits(facts),
    dispatcher(facts),
    engines(),
    compiler(),
    machines(),
  ];
}

function kernel({ release, arch, jit, btf }: KernelFacts): Finding {
  const jitWords = jit === undefined ? 'JIT unknown' : jit ? 'JIT on' : 'JIT off';
  const text = `${release} ${arch}, ${jitWords}, ${btf ? 'BTF present' : 'no BTF'}`;
  if (jit === false) {
    const advice = 'sysctl net.core.bpf_jit_enable=1: interpreted programs are many times slower';
    return { topic: 'kernel', state: 'limited', text, advice };
  }
  return { topic: 'kernel', state: 'works', text };
}

function heldWords({ capabilities }: Privileges): string {
  return capabilities.length === 0 ? 'none of the capabilities that matter here' : capabilities.join(' ');
}

function privileges({ privileges, features }: KernelFacts): Finding {
  const { lockdown } = privileges;
  const held = heldWords(privileges);
  const locked = lockdown === 'none' ? '' : `, kernel locked down (${lockdown})`;
  return features.parking
    ? { topic: 'privileges', state: 'works', text: `${held}${locked}: test runs and parking work` }
    : {
        topic: 'privileges',
        state: 'limited',
        text: `${held}${locked}: test runs work, parking does not`,
        advice:
          'parking needs CAP_NET_ADMIN and a network namespace of its own (CAP_SYS_ADMIN): without it, repeats rewrite the dispatcher',
      };
}

function limits({ limits, features }: KernelFacts): Finding {
  const { minPacketBytes, maxLinearBytes, maxPacketBytes, maxMetadataBytes } = limits;
  const frags = features.frags ? `, up to ${maxPacketBytes} with xdp.frags` : ', no fragments (5.18)';
  const context = features.context
    ? `context, metadata up to ${maxMetadataBytes} bytes`
    : 'no context, no metadata (5.15)';
  return {
    topic: 'packets',
    state: features.frags && features.context ? 'works' : 'limited',
    text: `${minPacketBytes} to ${maxLinearBytes} bytes${frags}; ${context}${features.liveFrames ? '' : '; no live frames (5.18)'}`,
  };
}

function dispatcher({ dispatcher, features }: KernelFacts): Finding {
  const bad = dispatcher.state === 'always' && !features.parking;
  return {
    topic: 'dispatcher',
    state: bad ? 'limited' : 'works',
    text: dispatcher.reason,
    ...(bad
      ? { advice: 'every test run is slow here: grant what parking needs, or use a newer kernel' }
      : {}),
  };
}

function engines(): Finding {
  const refused = batchEngineRefusal();
  return refused === undefined
    ? { topic: 'engines', state: 'works', text: 'batch and syscall' }
    : {
        topic: 'engines',
        state: 'limited',
        text: `syscall alone; the batch engine does not run: ${refused}`,
        advice: 'nothing is lost but speed: about ten times for a million packets',
      };
}

/** The version that a program gives, or undefined where it is not installed. */
function versionOf(program: string): string | undefined {
  const { stdout, error } = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: 10_000 });
  return error === undefined ? (/\d+(\.\d+)+/.exec(stdout)?.[0] ?? 'installed') : undefined;
}

function compiler(): Finding {
  const version = versionOf('clang');
  if (version !== undefined) return { topic: 'clang', state: 'works', text: version };
  const advice = 'to compile BPF programs: apt-get install clang';
  return { topic: 'clang', state: 'limited', text: 'not installed', advice };
}

function machines(): Finding {
  const topic = 'vm';
  if (arch() !== 'x64')
    return { topic, state: 'limited', text: `other kernels need an x64 host, this is ${arch()}` };
  const missing = ['qemu-system-x86_64', 'busybox'].filter((name) => versionOf(name) === undefined);
  if (missing.length === 0)
    return { topic, state: 'works', text: 'other kernels can be booted (xdptest vm)' };
  const advice = 'to run tests on other kernels: apt-get install qemu-system-x86 busybox-static';
  return { topic, state: 'limited', text: `${missing.join(' and ')} not installed`, advice };
}

function format({ topic, state, text, advice }: Finding): string {
  const style = { works: 'green', limited: 'yellow', fails: 'red' } as const;
  const line = `${styled(style[state], topic.padEnd(10))}  ${text}`;
  return advice === undefined ? line : `${line}\n${' '.repeat(12)}${styled('dim', `-> ${advice}`)}`;
}
