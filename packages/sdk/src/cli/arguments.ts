/** Values of options that are more than text. */
import { invalidArgument } from '../errors.ts';

/** A whole number of 0 or more; undefined stays so. */
export function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw invalidArgument(`${name} must be a whole number, got ${JSON.stringify(text)}`);
}
