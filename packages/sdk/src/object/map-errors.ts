/** What went wrong with a map, in words. */
import { constants } from 'node:os';
import { XdpError } from '../errors.ts';
import { systemError } from '../kernel/index.ts';
import type { updateFlags } from './bpf-constants.ts';
import type { MapDefinition } from './map-definition.ts';

const { ENOENT, EEXIST, E2BIG, ENOSPC } = constants.errno;

/** An operation that the type of the map does not have. */
export function unsupported({ name, type }: MapDefinition, operation: string, why?: string): XdpError {
  return new XdpError(
    'XDP_MAP_OPERATION',
    `map ${name}: a map of type ${type} has no ${operation}${why === undefined ? '' : `: ${why}`}`,
  );
}

/** What the kernel answered, where it can mean just one thing. */
export function failed(
  { name, type }: MapDefinition,
  doing: string,
  syscall: string,
  errno: number,
): XdpError {
  return systemError(`map ${name} (${type}): ${doing}`, syscall, errno);
}

/** What the kernel answered to a write; `more` is added to the message. */
export function writeFailed(
  definition: MapDefinition,
  errno: number,
  mode: keyof typeof updateFlags,
  more = '',
): XdpError {
  const where = `map ${definition.name} (${definition.type})`;
  const details = { syscall: 'BPF_MAP_UPDATE_ELEM', errno };
  if (errno === E2BIG || errno === ENOSPC) {
    return new XdpError(
      'XDP_MAP_FULL',
      `${where} is full: it has room for ${definition.maxEntries} entries${more}`,
      details,
    );
  }
  if (errno === EEXIST && mode === 'create') {
    return new XdpError(
      'XDP_VALUE_INVALID',
      `${where}: the key exists already, and mode is create${more}`,
      details,
    );
  }
  if (errno === ENOENT && mode === 'exist') {
    return new XdpError('XDP_NOT_FOUND', `${where}: there is no such key, and mode is exist${more}`, details);
  }
  return failed(definition, `writing an entry${more}`, 'BPF_MAP_UPDATE_ELEM', errno);
}
