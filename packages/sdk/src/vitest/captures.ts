/** Captures of failing packets: a pcapng file beside the report, with the verdict in it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { TestRunner } from 'vitest';
import { captureBytes, packetBytes } from '../packet/index.ts';
import { currentSettings } from './fixtures.ts';
import { goNameOfTask } from './go-name.ts';
import type { Subject } from './matchers/subject.ts';

/** Of a test in a loop that fails softly the first few packets are enough. */
const MOST_A_TEST = 10;
const saved = new WeakMap<object, number>();

/** A capture that was written. */
export interface SavedCapture {
  readonly path: string;
  /** What is in it, in words. */
  readonly what: string;
}

/** Writes what went in and what came out of a failing run; undefined without the plugin or outside of a test. */
export function saveCapture({ packet, input, verdict }: Subject): SavedCapture | undefined {
  const { captures } = currentSettings();
  const test = TestRunner.getCurrentTest();
  if (captures === undefined || test === undefined) return undefined;
  const number = (saved.get(test) ?? 0) + 1;
  if (number > MOST_A_TEST) return undefined;
  saved.set(test, number);
  const name = goNameOfTask(test)
    .replaceAll(/[^\w.#-]+/g, '-')
    .slice(0, 150);
  const path = join(captures, `${name}${number === 1 ? '' : `-${number}`}.pcapng`);
  const records = [
    ...(input === undefined ? [] : [{ bytes: input, comments: ['in'] }]),
    ...(packet === undefined
      ? []
      : [{ bytes: packetBytes(packet), comments: ['out'], ...(verdict === undefined ? {} : { verdict }) }]),
  ];
  mkdirSync(captures, { recursive: true });
  writeFileSync(path, captureBytes(records));
  const shown = relative(process.cwd(), path);
  const attachment = { path, contentType: 'application/x-pcapng' };
  // Awaited by vitest at the end of the test; where that is over already, the file alone has to do.
  try {
    test.context.annotate(`failing packet: ${shown}`, 'pcapng', attachment).catch(() => {});
  } catch {}
  return { path: shown, what: verdict === undefined ? 'the packet' : 'the packet and the verdict' };
}
