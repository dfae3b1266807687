/**
 * Codecs of structs and unions. Members of anonymous structs and unions belong to the type around them, as in C.
 * Members that are not given are zero, as with a designated initializer. Of a union one is enough; more must agree, as
 * they do in a value that was read and is written back.
 */
import { isDeepStrictEqual } from 'node:util';
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
      const shared: { readonly member: Member; readonly other: string; readonly item: unknown }[] = [];
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
            const first = members().get(earlier.by)!;
            shared.push({ member: first, other: key, item: (value as Record<string, unknown>)[earlier.by] });
          }
          chosen.set(union, { alternative, by: key });
        }
        encodeInto(member.codec, item, view, offset + member.byteOffset, `${path}.${key}`);
      }
      for (const { member, other, item } of shared) {
        const alone = new DataView(new ArrayBuffer(type.size));
        encodeInto(member.codec, item, alone, member.byteOffset, `${path}.${member.name}`);
        const written = member.codec.decode(view, offset + member.byteOffset);
        if (isDeepStrictEqual(written, member.codec.decode(alone, member.byteOffset))) continue;
        throw new XdpError(
          'XDP_VALUE_INVALID',
          `${path}: ${member.name} and ${other} share their bytes in a union, and differ there: give only one of them`,
        );
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
      const codec = bitfieldCodec(inner, member.bitSize, at);
      return [{ name: member.name, codec, byteOffset: 0, choices: inside }];
    }
    return [{ name: member.name, codec: context.codecOf(member.type), byteOffset: at >> 3, choices: inside }];
  });
}
