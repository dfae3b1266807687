/** Counts rewrites of the XDP dispatcher, of the whole machine, where the kernel lets an fentry program attach. */
import { readFileSync } from 'node:fs';
import { bundledBpfObject, type Native, type NativeHandle } from '../native.ts';
import { errnoName } from './system-error.ts';

export class RewriteCounter {
  readonly #addon: Native;
  readonly #map: NativeHandle;
  readonly #handles: readonly NativeHandle[];

  private constructor(addon: Native, map: NativeHandle, handles: readonly NativeHandle[]) {
    this.#addon = addon;
    this.#map = map;
    this.#handles = handles;
  }

  /** Starts to count, or says why that is refused. */
  static open(addon: Native): RewriteCounter | { readonly refused: string } {
    const bytes = readFileSync(bundledBpfObject('rewrites'));
    const loaded = addon.loadObject(bytes, 'rewrites', { programs: [], maps: [] });
    if ('errno' in loaded)
      return { refused: `the fentry program does not load (${errnoName(loaded.errno)})` };
    const { programs, maps } = loaded;
    const handles = [...Object.values(programs), ...Object.values(maps)].map(({ handle }) => handle);
    const link = addon.attachTracing(programs.count_rewrites!.handle);
    if (typeof link === 'number') {
      for (const handle of handles) addon.closeHandle(handle);
      return { refused: `the fentry program does not attach (${errnoName(-link)})` };
    }
    return new RewriteCounter(addon, Object.values(maps)[0]!.handle, [link, ...handles]);
  }

  /** Rewrites so far. */
  get count(): number {
    const bytes = this.#addon.mapMemory(this.#map, 8, 0, 8);
    return typeof bytes === 'number' ? 0 : Number(new DataView(bytes.buffer).getBigUint64(0, true));
  }

  close(): void {
    for (const handle of this.#handles) this.#addon.closeHandle(handle);
  }
}
