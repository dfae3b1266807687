/** What a test can require of the kernel: `test('...', { requires: ['live-frames'] }, ...)`. */
import { describeValue, invalidArgument } from '../errors.ts';
import { type KernelFacts, probeKernel } from '../kernel/index.ts';

/** A feature that a test can require. */
export type Requirement =
  /** Test runs take a context: metadata, the ingress interface and queue (5.15). */
  | 'context'
  /** Programs in SEC("xdp.frags") and packets longer than a page (5.18). */
  | 'xdp.frags'
  /** Test runs that send packets on for real (5.18). */
  | 'live-frames'
  /** Test runs with repeat 1 leave the dispatcher alone (5.17). */
  | 'dispatcher-bypass'
  /** Programs can be kept on the dispatcher, by an attachment in a private network namespace. */
  | 'parking'
  /** The kernel describes its types. */
  | 'btf'
  /** Programs are compiled to machine code. */
  | 'jit';

interface Feature {
  /** The first kernel that has it, as `[major, minor]`; undefined where no version decides. */
  readonly since: readonly [number, number] | undefined;
  readonly has: (facts: KernelFacts) => boolean;
  /** Why it may be missing whatever the version is. */
  readonly otherwise?: (facts: KernelFacts) => string | undefined;
}

const features: Readonly<Record<Requirement, Feature>> = {
  context: { since: [5, 15], has: ({ features }) => features.context },
  'xdp.frags': { since: [5, 18], has: ({ features }) => features.frags },
  'live-frames': { since: [5, 18], has: ({ features }) => features.liveFrames },
  'dispatcher-bypass': { since: [5, 17], has: ({ dispatcher }) => dispatcher.state !== 'always' },
  parking: {
    since: undefined,
    has: ({ features }) => features.parking,
    otherwise: ({ dispatcher }) => `parking is refused here (${dispatcher.evidence.parkingRefused})`,
  },
  btf: { since: undefined, has: ({ btf }) => btf, otherwise: () => 'there is no /sys/kernel/btf/vmlinux' },
  jit: {
    since: undefined,
    has: ({ jit }) => jit === true,
    otherwise: () => 'the JIT is off (sysctl net.core.bpf_jit_enable)',
  },
};

/** The answer to a requirement: it is there, it is missing for a reason, or it should be there and is not. */
export type Answer =
  | { readonly is: 'met' }
  | { readonly is: 'missing'; readonly reason: string }
  | { readonly is: 'broken'; readonly reason: string };

/** All names, for messages and completion. */
export const requirementNames = Object.keys(features) as Requirement[];

/** Checks what a test wrote; TypeScript has seen most of it before. */
export function checkRequirements(where: string, value: unknown): readonly Requirement[] {
  if (!Array.isArray(value) || value.some((name) => !Object.hasOwn(features, name as string))) {
    throw invalidArgument(
      `${where}: requires must be an array of ${requirementNames.join(', ')}, got ${Array.isArray(value) ? JSON.stringify(value) : describeValue(value)}`,
    );
  }
  return value as Requirement[];
}

/**
 * Whether this kernel has all of `names`. One that is new enough to have a feature, and has it not, is an error rather
 * than a reason to skip: else a broken probe would silence tests for years.
 */
export function answer(names: readonly Requirement[], facts: KernelFacts = probeKernel()): Answer {
  for (const name of names) {
    const feature = features[name];
    if (feature.has(facts)) continue;
    if (feature.since === undefined) {
      return { is: 'missing', reason: `requires ${name}: ${feature.otherwise?.(facts)}` };
    }
    const minimum = feature.since.join('.');
    if (isAtLeast(facts.release, feature.since)) {
      return {
        is: 'broken',
        reason: `requires ${name}, which kernels have from ${minimum} on; this is ${facts.release}, but a probe says that it is not there. If this kernel really lacks it, say so with test.skipIf`,
      };
    }
    return {
      is: 'missing',
      reason: `requires ${name}: kernel ${minimum} or newer, this is ${facts.release}`,
    };
  }
  return { is: 'met' };
}

function isAtLeast(release: string, [major, minor]: readonly [number, number]): boolean {
  const [, a = '0', b = '0'] = /^(\d+)\.(\d+)/.exec(release) ?? [];
  return Number(a) > major || (Number(a) === major && Number(b) >= minor);
}
