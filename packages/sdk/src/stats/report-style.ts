/** What the SVG and the HTML report share: colours in light and dark, and the escaping of text. */

interface Palette {
  readonly card: string;
  readonly ink: string;
  readonly soft: string;
  readonly grid: string;
  readonly base: string;
  readonly bar: string;
  readonly off: string;
}

const light: Palette = {
  card: '#ffffff',
  ink: '#1c2430',
  soft: '#5b6675',
  grid: '#e6e9ee',
  base: '#aab3bf',
  bar: '#3b78c9',
  off: '#cf4a2f',
};
const dark: Palette = {
  card: '#161b22',
  ink: '#e6edf3',
  soft: '#9aa5b1',
  grid: '#2a313a',
  base: '#59636f',
  bar: '#6aa5f0',
  off: '#ff7b5c',
};

/** Plain colours, no CSS variables: librsvg and many image viewers do not know those. */
function colours(palette: Palette): string {
  const rules = {
    text: `fill:${palette.soft}`,
    '.title': `fill:${palette.ink}`,
    '.card': `fill:${palette.card}`,
    '.bar': `fill:${palette.bar}`,
    '.off': `fill:${palette.off}`,
    '.band': `fill:${palette.bar};fill-opacity:.15`,
    '.grid': `stroke:${palette.grid}`,
    '.base,.xdptest-chart .stem': `stroke:${palette.base}`,
    '.expected': `stroke:${palette.ink}`,
  };
  return Object.entries(rules)
    .map(([selector, rule]) => `.xdptest-chart ${selector}{${rule}}`)
    .join('');
}

/** The style of a chart; the same alone and inside a page. */
export const chartStyle = [
  '.xdptest-chart{font-family:system-ui,"Segoe UI","DejaVu Sans",sans-serif}',
  '.xdptest-chart text{font-size:11px}',
  '.xdptest-chart .title{font-size:17px;font-weight:600}',
  '.xdptest-chart .verdict{font-size:12.5px}',
  '.xdptest-chart .end{text-anchor:end}',
  '.xdptest-chart .middle{text-anchor:middle}',
  '.xdptest-chart .label{font-size:10px}',
  '.xdptest-chart path{fill:none}',
  '.xdptest-chart .expected{stroke-dasharray:4 3}',
  colours(light),
  `@media(prefers-color-scheme:dark){${colours(dark)}}`,
].join('');

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text made safe for element content and for quoted attributes, without characters that XML forbids. */
export function escapeMarkup(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
      .replace(/\p{Surrogate}/gu, '\ufffd')
      .replace(/[&<>"']/g, (character: string) => entities[character]!)
  );
}
