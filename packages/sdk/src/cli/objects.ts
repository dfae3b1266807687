/** Objects on the command line: which program, and the values of variables. */
import { invalidArgument, XdpError } from '../errors.ts';
import type { XdpObject, XdpProgram } from '../object/index.ts';

/** The values of --set: whatever reads as a number is one, JSON is JSON, the rest is text. */
export function settings(given: readonly string[] = []): Record<string, unknown> {
  return Object.fromEntries(
    given.map((setting) => {
      const equals = setting.indexOf('=');
      if (equals <= 0) throw invalidArgument(`--set takes NAME=VALUE, got ${JSON.stringify(setting)}`);
      return [setting.slice(0, equals), parseValue(setting.slice(equals + 1))];
    }),
  );
}

function parseValue(text: string): unknown {
  if (/^-?\d+$|^0x[0-9a-f]+$/i.test(text)) {
    const number = Number(text);
    return Number.isSafeInteger(number) ? number : BigInt(text);
  }
  if (!/^[[{"]|^(true|false)$/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw invalidArgument(`--set: ${text} is no JSON: ${(cause as Error).message}`);
  }
}

/** The program of that name, or the only one. */
export function chooseProgram(object: XdpObject, name: string | undefined): XdpProgram {
  if (name !== undefined) return object.program(name);
  const programs = xdpPrograms(object);
  if (programs.length === 1) return programs[0]!;
  throw invalidArgument(
    `${object.name} has ${programs.length} XDP programs, choose one with --program: ${programs.map((program) => program.name).join(', ')}`,
  );
}

/** All XDP programs of an object; an error if there is none. */
export function xdpPrograms(object: XdpObject): XdpProgram[] {
  const programs = Object.values<XdpProgram>(object.programs).filter((program) => program.isXdp);
  if (programs.length === 0) throw new XdpError('XDP_NOT_XDP', `${object.name} has no XDP program`);
  return programs;
}
