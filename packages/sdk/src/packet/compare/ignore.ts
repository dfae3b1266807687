/** What a comparison ignores. */

import { packetInvalid } from '../header.ts';
import { findCodec, layerKinds } from '../layers/index.ts';
import { type Path, parsePath } from '../path.ts';
import { expectField, fieldNames } from '../spec.ts';

/** A test for whether the path of a difference is to be ignored. */
export function ignoreRules(ignore: readonly string[]): (path: string) => boolean {
  if (!Array.isArray(ignore)) throw packetInvalid('ignore must be an array of paths such as ipv4.id');
  const rules = ignore.map(ruleOf);
  return (path) => {
    const { kind, nth = 0, field } = parsePath(path);
    return rules.some(
      (rule) =>
        (rule.kind === '*' || rule.kind === kind) &&
        (rule.nth === undefined || rule.nth === nth) &&
        (rule.field === undefined || rule.field === field),
    );
  };
}

function ruleOf(path: string): Path {
  if (typeof path === 'string' && path.startsWith('*.')) {
    const field = path.slice(2);
    if (!layerKinds.some((kind) => fieldNames(findCodec(kind)!).has(field)))
      throw packetInvalid(`ignore: no layer has a field ${JSON.stringify(field)}`);
    return { kind: '*', nth: undefined, field };
  }
  const rule = parsePath(path);
  const codec = findCodec(rule.kind);
  if (codec === undefined)
    throw packetInvalid(`ignore: there is no kind of layer ${JSON.stringify(rule.kind)}`);
  if (rule.field !== undefined) expectField(codec, rule.field);
  return rule;
}
