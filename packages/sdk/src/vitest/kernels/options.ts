/** The option `kernels` of the plugin: what can be written, and what it means. */
import { describeValue, expectInteger, expectOptions, invalidArgument } from '../../errors.ts';

/** The machine that a kernel gets. */
export interface KernelMachineOptions {
  /** Kernel modules to load before the tests; what they depend on comes along. */
  readonly modules?: readonly string[];
  /** Processors. Default 2. */
  readonly smp?: number;
  /** Default 2048. */
  readonly memoryMiB?: number;
  /** More of the kernel's command line. */
  readonly append?: string;
}

/** A kernel to run the tests on. */
export interface TestKernel extends KernelMachineOptions {
  /** `host`, `debian:5.10`, `5.10`, `debian:bookworm`, or the path of a directory, a vmlinuz or a .deb. */
  readonly kernel: string;
  /** The name of vitest's project. Default: `kernel`. */
  readonly name?: string;
  /**
   * By how much timeouts of tests and hooks are longer than on the host. Default 25: without KVM, machines are emulated.
   */
  readonly patience?: number;
}

export interface CheckedKernel extends TestKernel {
  readonly name: string;
  readonly patience: number;
}

const known = ['kernel', 'name', 'patience', 'modules', 'smp', 'memoryMiB', 'append'] as const;

/** Checks the option and fills in the defaults. Names of kernels are looked at when a machine is to boot. */
export function checkKernels(value: unknown): readonly CheckedKernel[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.length === 0) {
    throw invalidArgument(`xdp: kernels must be an array of kernels, got ${describeValue(value)}`);
  }
  const kernels = value.map(checkKernel);
  const names = kernels.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) {
    throw invalidArgument(
      `xdp: two kernels are named ${JSON.stringify(twice)}; give one of them another \`name\``,
    );
  }
  return kernels;
}

function checkKernel(value: unknown, index: number): CheckedKernel {
  const where = `xdp: kernels[${index}]`;
  const kernel: TestKernel =
    typeof value === 'string'
      ? { kernel: value }
      : expectOptions<TestKernel>(where, value as TestKernel, known);
  for (const key of ['kernel', 'name', 'append'] as const) {
    const text: unknown = kernel[key];
    if (typeof text === 'string' ? text === '' && key !== 'append' : text !== undefined || key === 'kernel') {
      throw invalidArgument(`${where}: ${key} must be a string, got ${describeValue(text)}`);
    }
  }
  const modules: unknown = kernel.modules;
  if (
    modules !== undefined &&
    !(Array.isArray(modules) && modules.every((name) => typeof name === 'string'))
  ) {
    throw invalidArgument(`${where}: modules must be an array of names, got ${describeValue(modules)}`);
  }
  const { name = kernel.kernel, patience = 25, smp, memoryMiB } = kernel;
  expectInteger(`${where}: patience`, patience, 1, 1000);
  if (smp !== undefined) expectInteger(`${where}: smp`, smp, 1, 64);
  if (memoryMiB !== undefined) expectInteger(`${where}: memoryMiB`, memoryMiB, 128, 1 << 20);
  return { ...kernel, name, patience };
}
