/** The programs of test/bpf, loaded for tests on real interfaces. */
import { fileURLToPath } from 'node:url';
import { XdpObject } from 'xdptest';

export function loadActions(): XdpObject {
  return XdpObject.load(fileURLToPath(new URL('../../bpf/actions.bpf.o', import.meta.url)));
}

export function loadLive(): XdpObject {
  return XdpObject.load(fileURLToPath(new URL('../../bpf/live.bpf.o', import.meta.url)));
}
