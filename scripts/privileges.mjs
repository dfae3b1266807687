/** Loading XDP programs takes capabilities; an ordinary user who may use sudo gets them through it. */
import { readFileSync } from 'node:fs';
import { findProgram, giveUp, outputOf } from './run.mjs';

/** What loading, namespaces, raw sockets and tests that become other users need, by bit (linux/capability.h). */
const capabilities = {
  chown: 0n,
  dac_override: 1n,
  kill: 5n,
  setgid: 6n,
  setuid: 7n,
  setpcap: 8n,
  net_admin: 12n,
  net_raw: 13n,
  sys_ptrace: 19n,
  sys_admin: 21n,
  sys_nice: 23n,
  sys_resource: 24n,
  perfmon: 38n,
  bpf: 39n,
};

/** `sudo`, or an empty list for root; undefined for a user who has neither. Asks for the password on a terminal. */
export function rootPrefix() {
  if (process.getuid() === 0) return [];
  if (findProgram('sudo') === undefined) return undefined;
  if (outputOf(['sudo', '-n', 'true']) !== undefined) return ['sudo', '-n'];
  return process.stdin.isTTY ? ['sudo'] : undefined;
}

/** One of this process's sets of capabilities: `CapEff` is what it has, `CapBnd` what it can ever get. */
function has(set, name) {
  const status = readFileSync('/proc/self/status', 'utf8');
  const bits = BigInt(`0x${new RegExp(`^${set}:\\s*([0-9a-f]+)`, 'm').exec(status)?.[1] ?? '0'}`);
  return ((bits >> capabilities[name]) & 1n) === 1n;
}

function mayLoadXdp() {
  return has('CapEff', 'sys_admin') || (has('CapEff', 'bpf') && has('CapEff', 'net_admin'));
}

/**
 * The command with what it needs to load XDP programs. Under sudo it runs as the same user with capabilities, not as
 * root, so that every file it makes belongs to the user.
 */
export function privileged(command, task) {
  if (mayLoadXdp()) return command;
  const prefix = rootPrefix();
  if (prefix === undefined || prefix.length === 0) {
    giveUp(`Loading XDP programs needs CAP_BPF and CAP_NET_ADMIN. Run as root:\n\n  npm ${task}\n`);
  }
  // A container may have less than all: what it cannot give is not asked for.
  const wanted = Object.keys(capabilities).filter((name) => has('CapBnd', name));
  const list = wanted.map((name) => `+${name}`).join(',');
  const kept = ['PATH', 'HOME', 'CI', 'TERM', 'FORCE_COLOR', 'NO_COLOR', 'XDPTEST_JSON', 'XDPTEST_KERNEL'];
  return [
    ...prefix,
    'setpriv',
    `--reuid=${process.getuid()}`,
    `--regid=${process.getgid()}`,
    '--init-groups',
    `--inh-caps=${list}`,
    `--ambient-caps=${list}`,
    'env',
    ...kept.filter((name) => process.env[name] !== undefined).map((name) => `${name}=${process.env[name]}`),
    ...command,
  ];
}
