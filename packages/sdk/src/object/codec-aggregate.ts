/**
 * Codecs of structs and unions. Members of anonymous structs and unions belong to the type around them, as in C.
 * Members that are not given are zero, as with a designated initializer; of a union at most one may be given.
 */
import { XdpError } from '../errors.ts';
import type { NativeType } from '../native.ts';
import { type BpfValue, type Codec, type CodecContext, encodeInto, invalidValue } from './codec.ts';
import { bitfieldCodec } from './codec-scalar.ts';

type Aggregate = Extract<NativeType, { kind: 'struct' | 'union' }>;

/** A named member and the way to it: the alternatives of the unions that it lies in. */
interface Member {
  readonly name: string;
  readonly codec: Codec;
  readonly byteOffset: number;
  readonly choices: readonly { readonly union: object; readonly alternative: number }[];
}

export function aggregateCodec(context: CodecContext, type: Aggregate): Codec {
  const name = `${type.kind} ${type.name === '' ? '(anonymous)' : type.name}`;
  // Made at the first use: a struct may hold a pointer to itself, and most types are never encoded at all.
  let made: Map<string, Member> | undefined;
  const members = (): Map<string, Member> => {
    made ??= new Map(collect(context, type, 0, []).map((member) => [member.name, member]));
    return made;
  };
  return {
    size: type.size,
    type: name,
    encode(value, view, offset, path) {
      if (value === null || typeof value !== 'object' || Array.isArray(value) || ArrayBuffer.isView(value)) {
        throw invalidValue(
          path,
          value,
          `an object with the members of ${name}: ${[...members().keys()].join(', ')}`,
        );
      }
      const chosen = new Map<object, { alternative: number; by: string }>();
      for (const [key, item] of Object.entries(value)) {
        const member = members().get(key);
        if (member === undefined) {
          const known = [...members().keys()].join(', ');
          throw new XdpError(
            'XDP_VALUE_INVALID',
            `${path}: ${name} has no member ${JSON.stringify(key)}; it has ${known}`,
          );
        }
        if (item === undefined) continue;
        for (const { union, alternative } of member.choices) {
          const earlier = chosen.get(union);
          if (earlier !== undefined && earlier.alternative !== alternative) {
            throw new XdpError(
              'XDP_VALUE_INVALID',
              `${path}: ${earlier.by} and ${key} share their bytes in a union: give only one of them`,
            );
          }
          chosen.set(union, { alternative, by: key });
        }
        encodeInto(member.codec, item, view, offset + member.byteOffset, `${path}.${key}`);
      }
    },
    decode(view, offset): BpfValue {
      const out: Record<string, BpfValue> = {};
      for (const member of members().values())
        out[member.name] = member.codec.decode(view, offset + member.byteOffset);
      return out;
    },
  };
}

function collect(
  context: CodecContext,
  type: Aggregate,
  baseBits: number,
  choices: Member['choices'],
): Member[] {
  return type.members.flatMap((member, index) => {
    const at = baseBits + member.bitOffset;
    const inside = type.kind === 'union' ? [...choices, { union: type, alternative: index }] : choices;
    const { type: inner } = context.resolve(member.type);
    if (member.name === '') {
      return inner.kind === 'struct' || inner.kind === 'union' ? collect(context, inner, at, inside) : [];
    }
    if (member.bitSize > 0) {
      const codec = bitfieldCodec(bitfieldType(inner), member.bitSize, at);
      return [{ name: member.name, codec, byteOffset: 0, choices: inside }];
    }
    return [{ name: member.name, codec: context.codecOf(member.type), byteOffset: at >> 3, choices: inside }];
  });
}

function bitfieldType(type: NativeType): { name: string; signed: boolean; boolean: boolean } {
  if (type.kind === 'int') {
    return { name: type.name, signed: (type.encoding & 1) !== 0, boolean: (type.encoding & 4) !== 0 };
  }
  return { name: type.name, signed: type.kind === 'enum' && type.signed, boolean: false };
}
