/** Writing to a terminal, or to whatever is in its place. */
import { styleText } from 'node:util';

type Style = 'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan';

/** Colours go to terminals that have them; NO_COLOR, FORCE_COLOR and TERM are obeyed (by hasColors). */
export function styled(style: Style, text: string): string {
  const { stdout } = process;
  return stdout.isTTY && stdout.hasColors() ? styleText(style, text) : text;
}

/** The colour of an action, in every command alike. */
export function styledAction(action: string | number, width = 0): string {
  const text = String(action).padEnd(width);
  const styles: Readonly<Record<string, Style>> = {
    XDP_ABORTED: 'red',
    XDP_DROP: 'yellow',
    XDP_PASS: 'dim',
    XDP_TX: 'green',
    XDP_REDIRECT: 'cyan',
  };
  return styled(styles[action] ?? 'red', text);
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
