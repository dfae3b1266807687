/** The codecs of one object's types, each made from the BTF when it is first asked for. */
import { XdpError } from '../errors.ts';
import type { NativeType } from '../native.ts';
import { encodeAddress } from './address.ts';
import { checkTypes } from './check-types.ts';
import type { Codec, CodecContext, ResolvedType } from './codec.ts';
import { aggregateCodec } from './codec-aggregate.ts';
import { arrayCodec } from './codec-array.ts';
import { enumCodec, floatCodec, integerCodec } from './codec-scalar.ts';

/** Makes and keeps the codecs of one object's types. */
export class CodecTable implements CodecContext {
  readonly #types: readonly NativeType[];
  readonly #codecs = new Map<number, Codec>();

  /** @throws XdpError `XDP_OBJECT_INVALID` for types that no compiler makes */
  constructor(types: readonly NativeType[]) {
    checkTypes(types);
    this.#types = types;
  }

  resolve(id: number): ResolvedType {
    const typedefs: string[] = [];
    let type = this.#types[id];
    while (
      type !== undefined &&
      (type.kind === 'typedef' || type.kind === 'modifier' || type.kind === 'variable')
    ) {
      if (type.kind === 'typedef') typedefs.push(type.name);
      type = this.#types[type.type];
    }
    return { type: type ?? { kind: 'other', name: 'void' }, typedefs };
  }

  codecOf(id: number): Codec {
    let codec = this.#codecs.get(id);
    if (codec === undefined) {
      codec = withAddresses(make(this, this.resolve(id)), this.resolve(id));
      this.#codecs.set(id, codec);
    }
    return codec;
  }

  /** The raw type behind an id, for sections. */
  typeAt(id: number): NativeType | undefined {
    return this.#types[id];
  }
}

function make(context: CodecContext, resolved: ResolvedType): Codec {
  const { type } = resolved;
  switch (type.kind) {
    case 'int':
      return integerCodec(type, resolved.typedefs);
    case 'enum':
      return enumCodec(type);
    case 'float':
      return floatCodec(type);
    case 'pointer':
      return integerCodec({ name: 'pointer', size: 8, encoding: 0 }, []);
    case 'array':
      return arrayCodec(context, type);
    case 'struct':
    case 'union':
      return aggregateCodec(context, type);
    default:
      throw new XdpError(
        'XDP_NO_BTF',
        `the type ${JSON.stringify(type.name)} has no size in the object's BTF (only declared, never defined?)`,
      );
  }
}

/** Lets addresses be written as people write them, where the type has room for exactly one. */
function withAddresses(codec: Codec, resolved: ResolvedType): Codec {
  const { encode } = codec;
  return {
    ...codec,
    encode(value, view, offset, path) {
      if (typeof value === 'string' && codec.type !== 'char[]') {
        const bytes = encodeAddress(value, codec.size, resolved, path);
        if (bytes !== undefined) {
          for (let i = 0; i < bytes.length; i++) view.setUint8(offset + i, bytes[i]!);
          return;
        }
      }
      encode(value, view, offset, path);
    },
  };
}
