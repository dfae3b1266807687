/** Running packets: the door of this room. */
export { actionOf, type XdpAction, xdpActions } from './actions.ts';
export { batchEngineRefusal } from './batch-support.ts';
export type { RunContext } from './checks.ts';
export type { PacketSource } from './input.ts';
export { type EngineName, type PlanningFacts, planRun, type RunPlan, type Workload } from './plan.ts';
export { closeWorkers } from './pool.ts';
export type { RedirectTarget } from './redirect.ts';
export { openRepeater, type Repeater } from './repeater.ts';
export { type PacketResult, RunResults } from './results.ts';
export { runMany } from './run-many.ts';
export type { RunManyOptions, RunProgress } from './run-many-options.ts';
export { RunResult } from './run-result.ts';
export { type RunOptions, runXdp } from './run-xdp.ts';
export type { RunTiming } from './timing.ts';
