/**
 * XDP tests in vitest: the door of this room, published as `xdptest/vitest`. The configuration imports the plugin from
 * it, and tests everything else.
 */
export {
  afterAll,
  afterEach,
  assert,
  assertType,
  beforeAll,
  beforeEach,
  expect,
  expectTypeOf,
  inject,
  onTestFailed,
  onTestFinished,
  vi,
} from 'vitest';
export type { CompilerOptions } from '../gen/index.ts';
export { xdpBench } from './bench.ts';
export type { KernelMachineOptions, TestKernel } from './kernels/options.ts';
export type { LoadSource, TestLoadOptions } from './loading.ts';
export type {
  ChurnBelowOptions,
  EqualPacketOptions,
  RedirectExpectation,
  UniformOptions,
  XdpMatchers,
} from './matchers/index.ts';
export { type XdpPluginOptions, xdp } from './plugin.ts';
export type { LogRecord, SubtestRecord, TestRecord } from './records.ts';
export type { Requirement } from './requirements.ts';
export type { T } from './t.ts';
export { describe, it, test } from './test-api.ts';

import './setup.ts';
