/** Reads the fenced code blocks of a page, and the attributes in their info strings. See CONTRIBUTING.md, "Docs". */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { missing } from '../support/missing.ts';

export interface Block {
  /** `many-packets.md:42`, the line of the fence. */
  readonly place: string;
  readonly line: number;
  readonly language: string;
  /** `file=lb.ts` gives { file: 'lb.ts' }, a bare word `types-only` gives { 'types-only': '' }. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly code: string;
}

const known = new Set(['file', 'types-only', 'run-only', 'throws', 'exit', 'exact', 'skip', 'needs']);

export function blocksOf(path: string): Block[] {
  const blocks: Block[] = [];
  const lines = readFileSync(path, 'utf8').split('\n');
  for (let i = 0; i < lines.length; i++) {
    const fence = /^(\s*)```(\w+)(.*)$/.exec(lines[i]!);
    if (fence === null) continue;
    const [, indent, language, info] = fence as unknown as [string, string, string, string];
    const start = i + 1;
    while (++i < lines.length && lines[i] !== `${indent}\`\`\``);
    const place = `${basename(path)}:${start}`;
    if (i === lines.length) throw new Error(`${place}: the block does not end`);
    const code = lines.slice(start, i).map((line) => line.slice(indent.length));
    blocks.push({
      place,
      line: start,
      language,
      attributes: attributesOf(info, place),
      code: `${code.join('\n')}\n`,
    });
  }
  return blocks;
}

function attributesOf(info: string, place: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [, name, quoted, bare] of info.matchAll(/([\w-]+)(?:=(?:"([^"]*)"|(\S+)))?/g)) {
    if (!known.has(name!))
      throw new Error(`${place}: there is no attribute ${name}; known are ${[...known].join(', ')}`);
    attributes[name!] = quoted ?? bare ?? '';
  }
  const { needs } = attributes;
  if (needs !== undefined && !Object.hasOwn(missing, needs)) {
    throw new Error(`${place}: needs=${needs} is none of ${Object.keys(missing).join(', ')}`);
  }
  if (attributes.skip === '') throw new Error(`${place}: skip needs a reason: skip="..."`);
  return attributes;
}
