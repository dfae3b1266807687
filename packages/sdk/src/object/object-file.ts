/** XdpObjectFile: an object file that is there, but not in the kernel yet. */
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeValue, invalidArgument } from '../errors.ts';
import type { LoadOptions } from './load-options.ts';
import { XdpObject } from './object.ts';
import type { ObjectSchema, UntypedSchema } from './schema.ts';

/**
 * A compiled object file and, in its type, what it holds. `import lb from './lb.bpf.c'` gives one, and each `load()` a
 * new object in the kernel.
 */
export class XdpObjectFile<S extends ObjectSchema = UntypedSchema> {
  /** Where the file is. */
  readonly path: string;
  /** A name for messages: that of the source that it was compiled from. */
  readonly name: string;

  constructor(path: string | URL, name?: string) {
    if (!(path instanceof URL) && (typeof path !== 'string' || path === '')) {
      throw invalidArgument(`XdpObjectFile: expected the path of an object file, got ${describeValue(path)}`);
    }
    this.path = path instanceof URL ? fileURLToPath(path) : path;
    this.name = name ?? basename(this.path);
    Object.freeze(this);
  }

  /**
   * Loads it into the kernel.
   * @throws XdpError as {@link XdpObject.load}
   */
  load(options?: LoadOptions<S>): XdpObject<S> {
    return XdpObject.load<S>(this.path, { name: this.name, ...options });
  }
}
