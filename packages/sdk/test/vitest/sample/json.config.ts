import { defineConfig, mergeConfig } from 'vitest/config';
import config from './vitest.config.ts';

export default mergeConfig(
  config,
  defineConfig({ test: { reporters: [['xdptest/vitest/reporter', { json: true }]] } }),
);
