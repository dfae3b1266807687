/** What this kernel can do: the door of this room. */
export type { DispatcherEvidence, DispatcherFacts, DispatcherState } from './dispatcher.ts';
export { type KernelFacts, probeKernel } from './facts.ts';
export { type TestRunLimits, testRunLimits } from './limits.ts';
export { type Capability, explainRefusal, type Privileges, readPrivileges, readText } from './privileges.ts';
export { errnoName, systemError } from './system-error.ts';
