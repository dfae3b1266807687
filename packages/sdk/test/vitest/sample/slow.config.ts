/** A busy machine: news of tests arrives while vitest still hands on the news before. */
import { setTimeout } from 'node:timers/promises';
import { defineConfig, mergeConfig } from 'vitest/config';
import config from './vitest.config.ts';

const wait = () => setTimeout(50);
const slow = {
  onTestSuiteReady: wait,
  onTestSuiteResult: wait,
  onTestCaseReady: wait,
  onTestCaseResult: wait,
};

export default mergeConfig(config, defineConfig({ test: { reporters: ['xdptest/vitest/reporter', slow] } }));
