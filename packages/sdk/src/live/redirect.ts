/** Device maps: where XDP_REDIRECT sends frames to. */
import { describeValue, expectInteger, invalidArgument } from '../errors.ts';
import { systemError } from '../kernel/index.ts';
import { native } from '../native.ts';
import { mapHandle, programHandle, XdpMap, type XdpProgram } from '../object/index.ts';
import { interfacePlace, NetworkInterface } from './interface.ts';

/**
 * Puts an interface of a private namespace into a devmap or devmap hash. `XdpMap.set` cannot: the kernel takes an index
 * as one of the caller's namespace. The other end of a veth pair is made ready to take redirected frames.
 * @param egress a program in SEC("xdp/devmap") to run on the frames; kernel 5.8
 */
export function setRedirectTarget<K, V>(
  map: XdpMap<K, V>,
  key: number,
  target: NetworkInterface,
  egress?: XdpProgram,
): void {
  if (!(map instanceof XdpMap) || (map.type !== 'devmap' && map.type !== 'devmap_hash')) {
    throw invalidArgument(
      `setRedirectTarget: expected a devmap or devmap_hash, got ${map instanceof XdpMap ? `map ${map.name} of type ${map.type}` : describeValue(map)}`,
    );
  }
  if (!(target instanceof NetworkInterface)) {
    throw invalidArgument(`setRedirectTarget: expected an interface, got ${describeValue(target)}`);
  }
  expectInteger('setRedirectTarget: key', key, 0, 0xffff_ffff);
  if (egress !== undefined && map.valueSizeBytes < 8) {
    throw invalidArgument(`setRedirectTarget: values of map ${map.name} are too small for a program`);
  }
  const { core, index } = interfacePlace(target);
  core.requireOpen();
  target.peer?.acceptXdpFrames();
  // struct bpf_devmap_val: the index, and the descriptor of a program, which may be left out.
  const value = new Int32Array(map.valueSizeBytes >> 2);
  value[0] = index;
  if (egress !== undefined) value[1] = native().handleNumber(programHandle(egress));
  const result = native().netnsMapUpdate(
    core.netns,
    mapHandle(map),
    new Uint8Array(new Uint32Array([key]).buffer),
    new Uint8Array(value.buffer),
  );
  if (result < 0) throw systemError(`putting ${target} into map ${map.name}`, 'BPF_MAP_UPDATE_ELEM', -result);
}
