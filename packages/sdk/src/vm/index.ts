/** The same command on other kernels, each in a throw-away machine. Published as `xdptest/vm`. */
export type { AcceleratorChoice } from './accelerator.ts';
export type { KernelTrouble } from './console.ts';
export type { DebianKernel } from './debian.ts';
/** @internal `resolveKernel` is for the command line. */
export { type KernelList, listKernels, resolveKernel } from './kernels.ts';
export type { OutputStream } from './machine.ts';
export { exitCodeOf, type Outcome } from './outcome.ts';
/** @internal For the command line. */
export { linePrefixer } from './output.ts';
export type { TestCounts, TestRecord, TestStatus } from './records.ts';
export { formatJson, formatJunit } from './report.ts';
export type { RootChoice } from './root.ts';
export {
  type KernelRun,
  type KernelRunOptions,
  type RunInKernelOptions,
  type RunOnKernelsOptions,
  runInKernel,
  runOnKernels,
} from './run.ts';
export { formatTable } from './table.ts';
