/** Loads the test objects, and closes them when the test is over. */
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { type LoadOptions, XdpObject, type XdpProgram } from 'xdptest';

/** The path of a compiled object of test/bpf. */
export function objectPath(name: string): string {
  return fileURLToPath(new URL(`../bpf/${name}.bpf.o`, import.meta.url));
}

export function load(name: string, options?: LoadOptions): XdpObject {
  const object = XdpObject.load(objectPath(name), options);
  onTestFinished(() => object.close());
  return object;
}

/** One program of actions.bpf.c. */
export function action(name: string): XdpProgram {
  return load('actions').program(name);
}
