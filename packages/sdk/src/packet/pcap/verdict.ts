/** XDP actions by name, as `enum xdp_action` of linux/bpf.h numbers them. */
import { describeValue, invalidArgument } from '../../errors.ts';

const actions = ['XDP_ABORTED', 'XDP_DROP', 'XDP_PASS', 'XDP_TX', 'XDP_REDIRECT'] as const;

/** The name of an action of XDP. */
export type XdpActionName = (typeof actions)[number];

/** What a program returned: the name of an action, or the value itself, which may be no action at all. */
export type VerdictInput = XdpActionName | number | bigint;

/** The value as pcapng stores it: 64 bits. */
export function verdictValue(verdict: VerdictInput): bigint {
  if (typeof verdict === 'string') {
    const value = actions.indexOf(verdict);
    if (value >= 0) return BigInt(value);
  } else if (typeof verdict === 'bigint') {
    if (verdict >= 0n && verdict < 1n << 64n) return verdict;
  } else if (Number.isSafeInteger(verdict) && verdict >= 0) {
    return BigInt(verdict);
  }
  throw invalidArgument(
    `verdict must be one of ${actions.join(', ')}, or a whole number of 0 or more, got ${describeValue(verdict)}`,
  );
}
