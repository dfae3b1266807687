/** From C to objects and types: the door of this room, which the vitest plugin and `xdptest gen` share. */
export { type CompiledBpf, type CompileOptions, compileBpf, headersOf, isOwnHeader } from './compile.ts';
export type { CompilerOptions } from './compiler.ts';
export { CompileError, type SourcePlace } from './diagnostics.ts';
export { declarationPath, writeDeclaration } from './write-declaration.ts';
