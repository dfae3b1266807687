import { defineConfig } from 'vitest/config';

// Tests run against the built package (dist/), as its users do: worker threads need JavaScript files, and
// a class must not exist twice.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    server: { deps: { external: [/\/packages\/sdk\/dist\//] } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
