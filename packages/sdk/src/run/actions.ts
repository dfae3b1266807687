/** XDP actions: the verdicts that the kernel knows (enum xdp_action in include/uapi/linux/bpf.h). */

export const xdpActions = ['XDP_ABORTED', 'XDP_DROP', 'XDP_PASS', 'XDP_TX', 'XDP_REDIRECT'] as const;

/** The name of an XDP action. */
export type XdpAction = (typeof xdpActions)[number];

/** A verdict's name, or the number itself when it is no action. A program may return any 32-bit number. */
export function actionOf(verdict: number): XdpAction | number {
  return xdpActions[verdict] ?? verdict;
}
