/** The public API of `xdptest`: re-exports only. */
export { type BenchOptions, type BenchResult, benchXdp } from './bench/index.ts';
export { errorCodes, XdpError, type XdpErrorCode, type XdpErrorDetails } from './errors.ts';
export {
  type Capability,
  type DispatcherEvidence,
  type DispatcherFacts,
  type DispatcherState,
  type KernelFacts,
  type Privileges,
  probeKernel,
  type TestRunLimits,
} from './kernel/index.ts';
export {
  type BpfValue,
  type CreateInnerOptions,
  type InnerMapOptions,
  type LoadOptions,
  type MapType,
  type ObjectSchema,
  type ProgramOptions,
  type SetOptions,
  type UntypedSchema,
  XdpMap,
  XdpObject,
  XdpProgram,
} from './object/index.ts';
export {
  closeWorkers,
  type EngineName,
  type PacketResult,
  type PacketSource,
  type PlanningFacts,
  planRun,
  type RedirectTarget,
  type RunContext,
  type RunManyOptions,
  type RunOptions,
  type RunPlan,
  type RunProgress,
  RunResult,
  RunResults,
  type RunTiming,
  runMany,
  runXdp,
  type Workload,
  type XdpAction,
  xdpActions,
} from './run/index.ts';
