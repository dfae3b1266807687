/**
 * Everything between a fresh checkout and a built project: system packages, pnpm, dependencies, build. Each step looks
 * first whether it is done, so that running it again costs a few seconds.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inGuest } from './guest.mjs';
import { ensurePackages } from './packages.mjs';
import { findProgram, giveUp, outputOf, root, run } from './run.mjs';

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

function checkPlatform() {
  if (process.platform !== 'linux') {
    giveUp(`XDP programs run in the Linux kernel, and this is ${process.platform}: use a Linux machine.`);
  }
  const wanted = manifest.engines.node.replace('>=', '').split('.').map(Number);
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < wanted[0] || (major === wanted[0] && minor < wanted[1])) {
    giveUp(`Node ${manifest.engines.node} is needed, this is ${process.versions.node}.`);
  }
}

/** pnpm in the version that package.json pins: through corepack, or from npm where there is none (Node 25 on). */
function findPnpm() {
  const version = /^pnpm@([\d.]+)/.exec(manifest.packageManager)[1];
  const quiet = { COREPACK_ENABLE_DOWNLOAD_PROMPT: '0' };
  if (
    findProgram('corepack') !== undefined &&
    outputOf(['corepack', 'pnpm', '--version'], quiet) === version
  ) {
    return ['corepack', 'pnpm'];
  }
  return ['npx', '--yes', `pnpm@${version}`];
}

/** Installs and builds what is missing or out of date. */
export function setUp({ tests = false } = {}) {
  checkPlatform();
  ensurePackages({ tests });
  const pnpm = findPnpm();
  const env = { COREPACK_ENABLE_DOWNLOAD_PROMPT: '0' };
  const steps = [
    // Another user's or version's node_modules is replaced without a question that nobody would answer.
    [
      ...pnpm,
      'install',
      '--frozen-lockfile',
      inGuest ? '--offline' : '--prefer-offline',
      '--config.confirmModulesPurge=false',
    ],
    [...pnpm, '-r', 'run', 'build'],
  ];
  for (const step of steps) {
    if (!run(step, { env })) giveUp(`\n${step.join(' ')} failed, see above.`);
  }
}
