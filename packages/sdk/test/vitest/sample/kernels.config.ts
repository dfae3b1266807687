import { defineConfig } from 'vitest/config';
import { xdp } from 'xdptest/vitest';

export default defineConfig({
  plugins: [xdp({ kernels: ['host', { kernel: 'debian:5.10', name: 'oldstable', memoryMiB: 1024 }] })],
  test: { include: ['kernels.sample.ts'], attachmentsDir: '.xdptest/attachments' },
});
