import { defineConfig } from 'vitest/config';

// The package is a link to the workspace here: without this, vite would transform all of its files for each test file.
export default defineConfig({
  test: { testTimeout: 180_000, server: { deps: { external: [/\/packages\/sdk\/dist\//] } } },
});
