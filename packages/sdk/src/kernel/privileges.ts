/** What this process may do: capabilities, and the settings of the system that forbid BPF all the same. */
import { readFileSync } from 'node:fs';

/** Capabilities that BPF and parking use, by their bit in CapEff (linux/capability.h). */
const capabilityBits = {
  CAP_NET_ADMIN: 12,
  CAP_SYS_ADMIN: 21,
  CAP_PERFMON: 38,
  CAP_BPF: 39,
} as const;

/** A capability that matters here. */
export type Capability = keyof typeof capabilityBits;

/** What this process may do. */
export interface Privileges {
  readonly capabilities: readonly Capability[];
  /** The sysctl kernel.unprivileged_bpf_disabled, or undefined where it cannot be read. */
  readonly unprivilegedBpfDisabled: number | undefined;
  /** The active mode of the lockdown security module; `none` where there is no such module. */
  readonly lockdown: 'none' | 'integrity' | 'confidentiality';
  /** Capabilities that loading and test-running XDP programs need and this process lacks. */
  readonly missing: readonly Capability[];
}

/** A file's text, trimmed, or undefined where it cannot be read. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}

export function readPrivileges(): Privileges {
  // The calling thread's own set: capabilities belong to threads.
  const status = readText('/proc/thread-self/status') ?? '';
  const effective = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)/m.exec(status)?.[1] ?? '0'}`);
  const capabilities = (Object.keys(capabilityBits) as Capability[]).filter(
    (name) => (effective >> BigInt(capabilityBits[name])) & 1n,
  );
  const sysctl = readText('/proc/sys/kernel/unprivileged_bpf_disabled');
  const lockdown = /\[(\w+)\]/.exec(readText('/sys/kernel/security/lockdown') ?? '')?.[1];
  return {
    capabilities,
    unprivilegedBpfDisabled: sysctl === undefined ? undefined : Number(sysctl),
    lockdown: lockdown === 'integrity' || lockdown === 'confidentiality' ? lockdown : 'none',
    missing: missingCapabilities(capabilities),
  };
}

/**
 * Loading an XDP program needs CAP_BPF and CAP_NET_ADMIN, or CAP_SYS_ADMIN in their place (kernel/bpf/syscall.c,
 * bpf_prog_load; before 5.8 only CAP_SYS_ADMIN exists).
 */
function missingCapabilities(held: readonly Capability[]): Capability[] {
  if (held.includes('CAP_SYS_ADMIN')) return [];
  return (['CAP_BPF', 'CAP_NET_ADMIN'] as const).filter((name) => !held.includes(name));
}

/** Why the kernel may have refused with EPERM, and what to do: one sentence. */
export function explainRefusal(privileges: Privileges = readPrivileges()): string {
  if (privileges.missing.length > 0) {
    return `this process lacks ${privileges.missing.join(' and ')}: run it as root, or grant them (setpriv, systemd AmbientCapabilities, docker run --cap-add)`;
  }
  if (privileges.lockdown !== 'none') {
    return `the kernel is locked down (${privileges.lockdown} mode), which forbids parts of BPF even to root`;
  }
  return 'the capabilities are there, so a security module, a seccomp filter (containers have one) or, on kernels before 5.11, the memlock limit (ulimit -l) refuses it';
}
