/** Loading objects: the door of this room. */
export type { MapType } from './bpf-constants.ts';
export type { BpfValue } from './codec.ts';
export type { InnerMapOptions, LoadOptions, ProgramOptions } from './load-options.ts';
export { type CreateInnerOptions, mapHandle, type SetOptions, XdpMap } from './map.ts';
export { type ObjectSchema, sectionHandle, type UntypedSchema, XdpObject } from './object.ts';
export { mapName, programHandle, XdpProgram } from './program.ts';
