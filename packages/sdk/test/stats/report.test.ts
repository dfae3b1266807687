import { describe, expect, test } from 'vitest';
import { barChart, distribution, reportHtml, reportSvg } from 'xdptest/stats';

const invalid = expect.objectContaining({ code: 'XDP_INVALID_ARGUMENT' });
const hostile = '</text><script>alert("1")</script>&\u0000\ud800';

/** Tags are closed in the order they were opened, and nothing is loaded from elsewhere. */
function expectWellFormed(markup: string): void {
  const open: string[] = [];
  const source = markup.replace(/<!doctype html>|<meta [^>]*>/g, '');
  for (const [, closing, name, selfClosing] of source.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^<>]*?(\/?)>/gi)) {
    if (closing) expect(open.pop()).toBe(name);
    else if (!selfClosing) open.push(name!);
  }
  expect(open).toEqual([]);
  expect(source.replace(/<[^<>]*>/g, '')).not.toMatch(/[<>]/);
  expect(markup.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|url\(|<script|<link|src=/);
}

describe('barChart', () => {
  test('draws counts, shares and the distance from expected', () => {
    const chart = barChart(distribution({ a: 500, b: 1000, c: 2 }), { width: 8 });
    const lines = chart.split('\n');
    expect(lines.slice(0, 3)).toEqual([
      'a  ████        500   33.3 %    0.0σ',
      'b  ████████  1,000   66.6 %  +27.3σ',
      'c  ▏             2  0.133 %  -27.3σ',
    ]);
    expect(lines[3]).toMatch(/^n 1,502, k 3, cv 81.4 % \(chance: 3.65 %\), .* on 2, p 1\.\d\de-216$/);
  });

  test('keeps the categories that are farthest from expected', () => {
    const counts = new Array<number>(100).fill(100);
    counts[17] = 10;
    counts[80] = 300;
    const lines = barChart(distribution(counts), { rows: 2 }).split('\n');
    expect(lines[0]).toMatch(/^17 /);
    expect(lines[1]).toMatch(/^80 /);
    expect(lines[2]).toBe('(98 more, all nearer to what was expected)');
  });

  test('a label cannot drive the terminal or break the lines', () => {
    const chart = barChart(distribution({ 'x\u001b[2J\ny': 5, plain: 5 }));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
    expect(chart).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    expect(chart.split('\n')).toHaveLength(3);
  });

  test('refuses a width of 0', () => {
    expect(() => barChart(distribution([1]), { width: 0 })).toThrow(invalid);
  });
});

describe('reports', () => {
  const skewed = distribution({ [hostile]: 900, b: 1000, c: 1100 });

  test('the picture is well-formed, self-contained and shows every category', () => {
    const svg = reportSvg(skewed, { title: hostile });
    expectWellFormed(svg);
    expect(svg.match(/<rect class="(bar|off)"/g)).toHaveLength(3);
    expect(svg).toContain('&lt;script&gt;');
    expect(svg).toContain('prefers-color-scheme:dark');
  });

  test('a bar outside of what chance does has another colour', () => {
    const counts = new Array<number>(10).fill(1000);
    expect(reportSvg(distribution(counts))).not.toContain('class="off"');
    counts[3] = 1300;
    expect(reportSvg(distribution(counts)).match(/<rect class="off"/g)).toHaveLength(1);
  });

  test('thousands of categories stay a picture of reasonable size', () => {
    const svg = reportSvg(distribution(Array.from({ length: 65_537 }, (_, i) => 100 + (i % 7))));
    expect(svg.length).toBeLessThan(300_000);
    expect(svg).toContain('400 of 65,537, sorted');
    expectWellFormed(svg);
  });

  test('degenerate distributions are drawn without NaN', () => {
    for (const d of [
      distribution([5]),
      distribution([0, 5], { expected: [0, 1] }),
      distribution([1, 5], { expected: [0, 1] }),
    ]) {
      const svg = reportSvg(d);
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
      expectWellFormed(svg);
    }
  });

  test('the page has a section for each distribution and a row for each category', () => {
    const html = reportHtml({ '32 endpoints': skewed, other: distribution([1, 2]) }, { title: hostile });
    expectWellFormed(html);
    expect(html.match(/<section>/g)).toHaveLength(2);
    expect(html.match(/<tr><td>/g)).toHaveLength(5);
    expect(html).not.toContain(hostile);
    expect(reportHtml(skewed).match(/<section>/g)).toHaveLength(1);
  });

  test('refuses a title that is no text', () => {
    expect(() => reportSvg(skewed, { title: 5 as unknown as string })).toThrow(invalid);
    expect(() => reportHtml(skewed, { title: 5 as unknown as string })).toThrow(invalid);
  });
});
