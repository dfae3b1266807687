import { defineConfig } from 'vitest/config';
import { xdp } from 'xdptest/vitest';

export default defineConfig({ plugins: [xdp()], test: { include: ['*.sample.ts'] } });
