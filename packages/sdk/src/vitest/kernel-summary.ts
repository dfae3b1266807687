/** The kernel in a few lines, for the start of a run. */
import { XdpError } from '../errors.ts';
import { type KernelFacts, probeKernel } from '../kernel/index.ts';

/** What the plugin needs to know of the kernel before a run. */
export interface KernelSummary {
  readonly lines: readonly string[];
  /** Whether files had better run one after another. */
  readonly oneFileAtATime: boolean;
}

let known: KernelSummary | undefined;

/** Finds out once in a process; where nothing can be found out, says why. */
export function kernelSummary(): KernelSummary {
  known ??= summarise();
  return known;
}

function summarise(): KernelSummary {
  try {
    return describeKernel(probeKernel());
  } catch (error) {
    if (!(error instanceof XdpError)) throw error;
    return { lines: [`XDP programs cannot run here: ${error.message}`], oneFileAtATime: false };
  }
}

/** The lines for a kernel. Exported for tests. */
export function describeKernel(facts: KernelFacts): KernelSummary {
  const { features, dispatcher } = facts;
  const able = [
    ...(features.context ? ['context'] : []),
    ...(features.frags ? ['xdp.frags'] : []),
    ...(features.liveFrames ? ['live-frames'] : []),
    ...(features.parking ? ['parking'] : []),
    ...(facts.btf ? ['btf'] : []),
    ...(facts.jit === true ? ['jit'] : []),
  ];
  const oneFileAtATime = dispatcher.state === 'always';
  return {
    oneFileAtATime,
    lines: [
      `kernel ${facts.release} ${facts.arch}: ${able.join(', ') || 'plain test runs only'}`,
      ...(oneFileAtATime
        ? [
            'test files run one at a time: each test run rewrites the XDP dispatcher on this kernel, under a lock of the whole machine',
          ]
        : []),
    ],
  };
}
