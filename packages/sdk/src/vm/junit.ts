/** Reads and writes the JUnit dialect that CI systems understand. */
import type { TestRecord } from './records.ts';

const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text.replace(/&(#x[\da-f]+|#\d+|\w+);/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return entities[name] ?? whole;
    const code = name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code <= 0x10ffff ? String.fromCodePoint(code) : '';
  });
}

/** Makes text safe inside XML 1.0, which has no way at all to write most control characters. */
export function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;');
}

function attributes(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, name = '', double, single] of text.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    found.set(name, unescapeXml(double ?? single ?? ''));
  }
  return found;
}

// One token: CDATA, comment, declaration, or a tag whose quoted values may hold a `>`.
const token =
  /<!\[CDATA\[([\s\S]*?)\]\]>|<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<(\/?)([\w:.-]+)((?:"[^"]*"|'[^']*'|[^>"'])*?)(\/?)>/g;

interface OpenCase {
  readonly attributes: Map<string, string>;
  status: TestRecord['status'];
  reason: string;
  message: string;
}

/** The test cases of a JUnit file; undefined if it is none. */
export function parseJunit(xml: string): TestRecord[] | undefined {
  if (!/<testsuites?[\s>]/.test(xml)) return undefined;
  const records: TestRecord[] = [];
  let suite = '';
  let current: OpenCase | undefined;
  let child: string | undefined;
  let textFrom = 0;

  const finish = (open: OpenCase): void => {
    const at = open.attributes;
    records.push({
      file: at.get('file') ?? at.get('classname') ?? suite,
      name: at.get('name') ?? '',
      status: open.status,
      reason: open.reason,
      message: open.message.trim(),
      durationMs: Number(at.get('time') ?? 0) * 1000,
    });
  };
  const addText = (text: string): void => {
    if (current === undefined || child === undefined || text.trim() === '') return;
    if (child === 'failure' || child === 'error') current.message += `\n${text.trim()}`;
    if (child === 'skipped' && current.reason === '') current.reason = text.trim();
  };

  for (const match of xml.matchAll(token)) {
    const [whole, cdata, close, name, rest = '', selfClosing] = match;
    addText(unescapeXml(xml.slice(textFrom, match.index)));
    textFrom = match.index + whole.length;
    if (cdata !== undefined) addText(cdata);
    if (name === undefined) continue;
    if (close === '/') {
      if (name === 'testcase' && current !== undefined) {
        finish(current);
        current = undefined;
      }
      child = undefined;
      continue;
    }
    if (name === 'testsuite') suite = attributes(rest).get('name') ?? suite;
    if (name === 'testcase') {
      current = { attributes: attributes(rest), status: 'passed', reason: '', message: '' };
      if (selfClosing === '/') {
        finish(current);
        current = undefined;
      }
    } else if (current !== undefined) {
      const message = attributes(rest).get('message') ?? '';
      if (name === 'failure' || name === 'error') {
        current.status = 'failed';
        current.message += `${current.message === '' ? '' : '\n'}${message}`;
      } else if (name === 'skipped') {
        current.status = 'skipped';
        current.reason = message;
      }
      child = selfClosing === '/' ? undefined : name;
    }
  }
  return records;
}
