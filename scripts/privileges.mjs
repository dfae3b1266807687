/** Loading XDP programs takes capabilities; an ordinary user who may use sudo gets them through it. */
import { readFileSync } from 'node:fs';
import { findProgram, giveUp, outputOf } from './run.mjs';

const CAP_NET_ADMIN = 12n;
const CAP_SYS_ADMIN = 21n;
const CAP_BPF = 39n;

/** `sudo`, or an empty list for root; undefined for a user who has neither. Asks for the password on a terminal. */
export function rootPrefix() {
  if (process.getuid() === 0) return [];
  if (findProgram('sudo') === undefined) return undefined;
  if (outputOf(['sudo', '-n', 'true']) !== undefined) return ['sudo', '-n'];
  return process.stdin.isTTY ? ['sudo'] : undefined;
}

function mayLoadXdp() {
  const status = readFileSync('/proc/self/status', 'utf8');
  const held = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)/m.exec(status)?.[1] ?? '0'}`);
  const has = (bit) => ((held >> bit) & 1n) === 1n;
  return has(CAP_SYS_ADMIN) || (has(CAP_BPF) && has(CAP_NET_ADMIN));
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
  const kept = ['PATH', 'HOME', 'CI', 'TERM', 'FORCE_COLOR', 'NO_COLOR', 'XDPTEST_JSON'];
  return [
    ...prefix,
    'setpriv',
    `--reuid=${process.getuid()}`,
    `--regid=${process.getgid()}`,
    '--init-groups',
    '--inh-caps=+all',
    '--ambient-caps=+all',
    'env',
    ...kept.filter((name) => process.env[name] !== undefined).map((name) => `${name}=${process.env[name]}`),
    ...command,
  ];
}
