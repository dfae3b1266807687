import { defineConfig } from 'vitest/config';

// In a machine under emulation (xdptest vm) everything takes longer.
const testTimeout = [undefined, 'host'].includes(process.env.XDPTEST_KERNEL) ? 180_000 : 1_800_000;

// The package is a link to the workspace here: without this, vite would transform all of its files for each test file.
export default defineConfig({
  test: { testTimeout, server: { deps: { external: [/\/packages\/sdk\/dist\//] } } },
});
