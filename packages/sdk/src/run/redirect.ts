/** Where XDP_REDIRECT sends a packet. */
import { mapName, type XdpProgram } from '../object/index.ts';
import { REDIRECT_UNKNOWN } from './columns.ts';

/** The target of a redirect: an interface (bpf_redirect), or an entry of a map (bpf_redirect_map). */
export type RedirectTarget =
  | { readonly ifindex: number }
  | {
      /** The map's name in the program's object; undefined for a map of another one. */
      readonly map: string | undefined;
      readonly mapId: number;
      readonly key: number;
    };

/** From what the driver recorded; undefined where it could not tell. */
export function redirectTarget(program: XdpProgram, map: number, target: number): RedirectTarget | undefined {
  if (map === REDIRECT_UNKNOWN) return undefined;
  // No interface has index 0: the program said XDP_REDIRECT without naming a target.
  if (map === 0) return target === 0 ? undefined : { ifindex: target };
  return { map: mapName(program, map), mapId: map, key: target };
}
