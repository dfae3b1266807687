/** Objects for tests: a fresh one for each, or one for a file that is put back between its tests. */
import { isDeepStrictEqual } from 'node:util';
import { XdpError } from '../errors.ts';
import {
  type LoadOptions,
  type ObjectSchema,
  type ObjectSnapshot,
  type UntypedSchema,
  XdpObject,
  XdpObjectFile,
} from '../object/index.ts';

/** What an object can be loaded from. */
export type LoadSource<S extends ObjectSchema = UntypedSchema> = XdpObjectFile<S> | string | URL | Uint8Array;

/** Options of `t.load`. */
export interface TestLoadOptions<S extends ObjectSchema = UntypedSchema> extends LoadOptions<S> {
  /**
   * `test` (the default): a fresh object for this test. `file`: one for all tests of the file that ask with the same
   * options, whose maps and variables are put back for each test to what they were after the load.
   */
  readonly scope?: 'test' | 'file';
}

/** @throws XdpError as `XdpObject.load` */
export function loadObject<S extends ObjectSchema>(
  source: LoadSource<S>,
  options: LoadOptions<S>,
): XdpObject<S> {
  try {
    return source instanceof XdpObjectFile ? source.load(options) : XdpObject.load<S>(source, options);
  } catch (error) {
    if (error instanceof XdpError && error.code === 'XDP_NOT_PERMITTED') {
      error.message += "\n(to skip such tests instead, visibly: plugins: [xdp({ onUnprivileged: 'skip' })])";
    }
    throw error;
  }
}

/** Most loads have no options at all, and a comparison in depth takes as long as a run. */
function sameOptions(a: LoadOptions, b: LoadOptions): boolean {
  return (Object.keys(a).length === 0 && Object.keys(b).length === 0) || isDeepStrictEqual(a, b);
}

interface Shared {
  readonly source: LoadSource;
  readonly options: LoadOptions;
  readonly object: XdpObject;
  readonly clean: ObjectSnapshot;
  /** The test that it was last put back for. */
  owner: object;
}

/** The objects that the tests of one file share. */
export class FileObjects {
  readonly #shared: Shared[] = [];

  /** The object for a test; put back, if another test had it last. */
  load(source: LoadSource, options: LoadOptions, owner: object): XdpObject {
    const known = this.#shared.find(
      (one) => one.source === source && !one.object.isClosed && sameOptions(one.options, options),
    );
    if (known === undefined) {
      const object = loadObject(source, options);
      this.#shared.push({ source, options, object, clean: object.snapshot(), owner });
      return object;
    }
    if (known.owner !== owner) {
      known.object.restore(known.clean);
      known.owner = owner;
    }
    return known.object;
  }

  close(): void {
    for (const { object } of this.#shared) object.close();
    this.#shared.length = 0;
  }
}
