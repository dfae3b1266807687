/** What went wrong when an object was opened or loaded, in words: text apart from the loading itself. */
import { constants } from 'node:os';
import { XdpError } from '../errors.ts';
import { errnoName, explainRefusal, readPrivileges, testRunLimits } from '../kernel/index.ts';
import type { NativeFailure, NativeLoadConfig, NativeObject } from '../native.ts';
import { BPF_F_XDP_HAS_FRAGS } from './bpf-constants.ts';

const TAIL_LINES = 16;
const { EPERM, EACCES, EINVAL } = constants.errno;

/** The end of a log, where the verifier says what it refused. */
export function logTail(log: string, lines = TAIL_LINES): string {
  const all = log.trimEnd().split('\n');
  const left = all.length - lines;
  return left <= 0
    ? all.join('\n')
    : `... (${left} lines before, all in error.log)\n${all.slice(left).join('\n')}`;
}

/** What the verifier allows only with CAP_PERFMON (kernel/bpf/verifier.c, allow_ptr_leaks) reads like a fault in the program. */
function perfmonHint(errno: number): string {
  if (errno !== EACCES && errno !== EPERM) return '';
  const { capabilities } = readPrivileges();
  return capabilities.includes('CAP_PERFMON') || capabilities.includes('CAP_SYS_ADMIN')
    ? ''
    : '; this process lacks CAP_PERFMON, without which the verifier forbids much of pointer arithmetic: grant it if the program loads elsewhere';
}

/**
 * A program that declares fragments, on a kernel without: such a kernel says EINVAL and no more, since it knows nothing
 * of the flag. Asked only when a load has failed, so that a load costs no probe.
 */
export function unsupportedFrags(
  object: string,
  { errno }: NativeFailure,
  spec: NativeObject,
  config: NativeLoadConfig,
): XdpError | undefined {
  if (errno !== EINVAL || readPrivileges().missing.length > 0) return undefined;
  const program = spec.programs.find(({ flags }, i) => {
    const configured = config.programs[i]!;
    return configured.autoload !== 0 && ((configured.flags ?? flags) & BPF_F_XDP_HAS_FRAGS) !== 0;
  });
  if (program === undefined || testRunLimits().frags) return undefined;
  const { name, section } = program;
  return new XdpError(
    'XDP_FEATURE_UNSUPPORTED',
    `loading ${object}: program ${name} (section ${JSON.stringify(section)}) declares xdp.frags, which this kernel does not have (upstream kernels do from 5.18 on): leave it out with programs: { ${name}: { autoload: false } }, or load it as SEC("xdp")`,
    { syscall: 'BPF_PROG_LOAD', errno },
  );
}

export function loadError(object: string, failure: NativeFailure): XdpError {
  const { errno, stage, messages, log = '', program } = failure;
  const details = { syscall: stage === 'load' ? 'BPF_PROG_LOAD' : 'bpf_object__open_mem', errno, log };
  const said = messages.trim();
  if (stage === 'open') {
    return new XdpError(
      'XDP_OBJECT_INVALID',
      `${object} is no BPF object that libbpf can open (${errnoName(errno)}): expected an ELF file made by clang -target bpf${said && `\n${said}`}`,
      details,
    );
  }
  if (log.trim() !== '') {
    return new XdpError(
      'XDP_LOAD_FAILED',
      `loading ${object}: the kernel refused ${program === undefined ? 'it' : `program ${program}`} with ${errnoName(errno)}${perfmonHint(errno)}\n${logTail(log)}`,
      details,
    );
  }
  if (errno === EPERM || readPrivileges().missing.length > 0) {
    return new XdpError(
      'XDP_NOT_PERMITTED',
      `loading ${object}: ${errnoName(errno)}: ${explainRefusal()}`,
      details,
    );
  }
  return new XdpError(
    'XDP_LOAD_FAILED',
    `loading ${object}: ${errnoName(errno)}${said && `\n${said}`}`,
    details,
  );
}
