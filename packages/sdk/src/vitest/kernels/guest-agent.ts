/**
 * The program that a machine runs: it starts vitest's workers in the guest and passes their messages on, between their
 * pipes and the channel (descriptor 3) to the host.
 *
 *     node guest-agent.js DIRECTORY    files that workers write there go to the host, too
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createReadStream, existsSync, readdirSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { deserialize, serialize } from 'node:v8';
import { kernelSummary } from '../kernel-summary.ts';
import {
  encodeFrame,
  type Frame,
  type FrameKind,
  frameReader,
  type Hello,
  type SpawnRequest,
} from './frames.ts';

const CHANNEL = 3;
const ALIVE_MS = 5000;
/** How long a worker may take to go when it is asked. */
const GRACE_MS = 2000;

const worker = fileURLToPath(new URL('./guest-worker.js', import.meta.url));
const directory = process.argv[2] ?? '';
const children = new Map<number, ChildProcess>();
/** When the files that the host has were written. */
const sent = new Map<string, number>();

/** The port takes a part of a long write at a time. */
function write(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(CHANNEL, bytes, at);
}

function send(kind: FrameKind, id: number, payload?: Uint8Array): void {
  write(encodeFrame(kind, id, payload));
}

/** Sends the files that are new, or newly written. */
function sendFiles(): void {
  if (directory === '' || !existsSync(directory)) return;
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    const { mtimeMs } = statSync(path);
    if (sent.get(path) === mtimeMs) continue;
    sent.set(path, mtimeMs);
    send('file', 0, serialize({ path, bytes: readFileSync(path) }));
  }
}

function start(id: number, { vitest, execArgv, env }: SpawnRequest): void {
  const child = spawn(process.execPath, [...execArgv, worker, String(id), vitest], {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  children.set(id, child);
  const pipe = child.stdio[3] as Duplex;
  // It breaks when the worker ends, and that is told below.
  pipe.on('error', () => {});
  // Whole frames: workers and their outputs share the channel.
  const forward = frameReader(({ kind, payload }) => {
    // What a message tells of a file is true on the host, too.
    sendFiles();
    send(kind, id, payload);
  });
  pipe.on('data', forward);
  child.stdout?.on('data', (chunk: Buffer) => send('stdout', id, chunk));
  child.stderr?.on('data', (chunk: Buffer) => send('stderr', id, chunk));
  child.on('error', (error) => send('stderr', id, Buffer.from(`${error.message}\n`)));
  child.on('close', (code, signal) => {
    children.delete(id);
    sendFiles();
    send('exit', id, Buffer.from(signal ?? `exit code ${code}`));
  });
}

function receive({ kind, worker: id, payload }: Frame): void {
  const child = children.get(id);
  if (kind === 'spawn') start(id, deserialize(payload) as SpawnRequest);
  else if (kind === 'message') (child?.stdio[3] as Duplex | undefined)?.write(encodeFrame(kind, id, payload));
  else if (kind === 'kill') {
    child?.kill('SIGTERM');
    setTimeout(() => child?.kill('SIGKILL'), GRACE_MS).unref();
  } else if (kind === 'bye') {
    sendFiles();
    for (const other of children.values()) other.kill('SIGKILL');
    process.exit(0);
  }
}

const hello: Hello = { lines: kernelSummary().lines };
send('hello', 0, serialize(hello));
setInterval(() => send('alive', 0), ALIVE_MS);
const port = createReadStream('', { fd: CHANNEL, autoClose: false });
const read = frameReader(receive);
port.on('data', (chunk) => read(chunk as Buffer));
