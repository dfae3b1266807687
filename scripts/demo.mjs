/** `npm run demo`: the load balancer's distribution test on this machine's kernel. */
import { join } from 'node:path';
import { privileged } from './privileges.mjs';
import { root, run } from './run.mjs';
import { setUp } from './setup.mjs';

setUp();
const vitest = [
  process.execPath,
  join(root, 'node_modules/vitest/vitest.mjs'),
  'run',
  'load-balancer/distribution',
];
const ok = run(privileged(vitest, 'run demo'), { cwd: join(root, 'packages/examples') });
process.exitCode = ok ? 0 : 1;
