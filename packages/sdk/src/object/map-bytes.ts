/** Keys and values of maps as the kernel takes them; those of per-CPU maps have one value for each possible CPU. */
import { describeValue, XdpError } from '../errors.ts';
import { isIndexed } from './bpf-constants.ts';
import { encodeInto, encodeValue } from './codec.ts';
import type { MapDefinition } from './map-definition.ts';
import { unsupported } from './map-errors.ts';

/** The bytes of a key. */
export function encodeKey(definition: MapDefinition, key: unknown): Uint8Array {
  if (definition.key === undefined) throw unsupported(definition, 'access by key', 'it has none');
  const bytes = encodeValue(definition.key, key, `map ${definition.name}: key`);
  checkIndex(definition, bytes);
  return bytes;
}

/** The kernel answers E2BIG to an index out of range, as it does when a map is full. */
export function checkIndex(definition: MapDefinition, bytes: Uint8Array | DataView, offset = 0): void {
  const { name, type, maxEntries } = definition;
  if (!isIndexed(type)) return;
  const index = new DataView(bytes.buffer, bytes.byteOffset).getUint32(offset, true);
  if (index >= maxEntries) {
    throw new XdpError(
      'XDP_VALUE_INVALID',
      `map ${name}: index ${index} is out of range, it has ${maxEntries} entries`,
    );
  }
}

/** The bytes of a value, or of the values of all CPUs. */
export function encodeMapValue(definition: MapDefinition, value: unknown): Uint8Array {
  const { value: codec, cpuStride, cpus, valueBytes } = definition;
  const path = `map ${definition.name}: value`;
  if (cpuStride === 0) return encodeValue(codec, value, path);
  if (value instanceof Uint8Array) {
    if (value.length === valueBytes) return value;
    throw new XdpError(
      'XDP_SIZE_MISMATCH',
      `${path}: expected ${valueBytes} bytes (${codec.size}, rounded up to ${cpuStride}, for each of ${cpus} possible CPUs), got ${value.length}`,
    );
  }
  if (!Array.isArray(value) || value.length !== cpus) {
    throw new XdpError(
      'XDP_VALUE_INVALID',
      `${path}: expected an array with one value for each of ${cpus} possible CPUs, got ${describeValue(value)}`,
    );
  }
  const bytes = new Uint8Array(valueBytes);
  const view = new DataView(bytes.buffer);
  value.forEach((item, cpu) => {
    encodeInto(codec, item, view, cpu * cpuStride, `${path} of CPU ${cpu}`);
  });
  return bytes;
}

/** The value, or the values of all CPUs, that stand at an offset. */
export function decodeMapValue(definition: MapDefinition, view: DataView, offset: number): unknown {
  const { value: codec, cpuStride, cpus } = definition;
  if (cpuStride === 0) return codec.decode(view, offset);
  return Array.from({ length: cpus }, (_, cpu) => codec.decode(view, offset + cpu * cpuStride));
}

/** The value of a map whose entries are other BPF things. */
export function descriptorBytes(fd: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setInt32(0, fd, true);
  return bytes;
}
