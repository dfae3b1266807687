import { defineConfig } from 'vitest/config';
import { patience } from './test/support/emulation.ts';

const patienceMs = patience(180_000);

// Tests run against the built package (dist/), as its users do: worker threads need JavaScript files, and
// a class must not exist twice.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // `xdptest vm` asks for a report with the reasons of skips; see docs/other-kernels.md.
    reporters:
      process.env.XDPTEST_JSON === undefined ? ['default'] : ['default', 'xdptest/vm/vitest-reporter'],
    server: { deps: { external: [/\/packages\/sdk\/dist\//] } },
    testTimeout: patienceMs,
    hookTimeout: patienceMs,
  },
});
