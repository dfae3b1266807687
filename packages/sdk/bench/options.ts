/** The command line of `pnpm bench`. */
import { parseArgs } from 'node:util';

export interface Options {
  readonly json: boolean;
  readonly rounds: number;
  /** Packets a round of 64 bytes; a quarter of them of 1500. */
  readonly packets: number;
  matches(name: string): boolean;
}

const usage = `pnpm bench [--json] [--rounds N] [--packets N] [--only TEXT]

  --json       one JSON object a case, a line each
  --rounds     rounds of each case, taken in turns (default 9)
  --packets    distinct packets a round (default 1000000)
  --only       only the cases whose name contains TEXT`;

export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      json: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '9' },
      packets: { type: 'string', default: '1000000' },
      only: { type: 'string', default: '' },
    },
  });
  return {
    json: values.json,
    rounds: positive('rounds', values.rounds, usage),
    packets: positive('packets', values.packets, usage),
    matches: (name) => name.includes(values.only),
  };
}

/** @param help what to show when it is none */
export function positive(name: string, text: string, help: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1)
    throw new Error(`--${name} must be a positive whole number\n\n${help}`);
  return number;
}
