import { defineConfig } from 'vitest/config';
import { xdp } from 'xdptest/vitest';

export default defineConfig({
  plugins: [xdp({ onUnprivileged: 'skip' })],
  test: { include: ['*.sample.ts'] },
});
