/** Loading objects: the door of this room. */
export type { MapType } from './bpf-constants.ts';
export type { BpfValue } from './codec.ts';
export { declarationOf, requireTypes } from './declaration.ts';
export type { InnerMapOptions, LoadOptions, ProgramOptions } from './load-options.ts';
export { type CreateInnerOptions, mapHandle, type SetOptions, XdpMap } from './map.ts';
export { normalizeValue } from './normalize.ts';
export { sectionHandle, XdpObject } from './object.ts';
export { XdpObjectFile } from './object-file.ts';
export { mapName, programHandle, XdpProgram } from './program.ts';
export type { ObjectSchema, UntypedSchema } from './schema.ts';
export { ObjectSnapshot } from './snapshot.ts';
export type { AddressFamily, AddressField, BpfInput } from './value-types.ts';
