/**
 * A worker of vitest in a guest: runs test files as vitest's own workers do, and speaks with vitest by frames on
 * descriptor 3.
 *
 *     node guest-worker.js NUMBER VITEST
 */
import { Socket } from 'node:net';
import { pathToFileURL } from 'node:url';
import { deserialize, serialize } from 'node:v8';
import { encodeFrame, frameReader } from './frames.ts';

const [, , number = '', vitest = ''] = process.argv;
// The one that the host runs: an import by name could find another copy.
const { init, runBaseTests, setupEnvironment } = (await import(
  pathToFileURL(vitest).href
)) as typeof import('vitest/worker');

const pipe = new Socket({ fd: 3 });
const listeners = new Set<(message: unknown) => void>();
const read = frameReader(({ payload }) => {
  const message: unknown = deserialize(payload);
  for (const listener of listeners) listener(message);
});
pipe.on('data', read);
pipe.on('error', () => process.exit(1));
pipe.on('end', () => process.exit(1));

// Tests may replace it, and vitest does while they run.
const { exit } = process;
init({
  post: (message: unknown) => void pipe.write(encodeFrame('message', Number(number), serialize(message))),
  on: (listener) => void listeners.add(listener),
  off: (listener) => void listeners.delete(listener),
  teardown: () => listeners.clear(),
  setup: setupEnvironment,
  runTests: (state, traces) => execute('run', state, traces),
  collectTests: (state, traces) => execute('collect', state, traces),
});

async function execute(...args: Parameters<typeof runBaseTests>): Promise<void> {
  try {
    await runBaseTests(...args);
  } finally {
    process.exit = exit;
  }
}
