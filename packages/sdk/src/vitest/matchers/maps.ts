/** Matchers of maps: entries, and counters. */
import { inspect } from 'node:util';
import { describeValue, invalidArgument } from '../../errors.ts';
import { normalizeValue, XdpMap } from '../../object/index.ts';
import { formatIpv6, formatMac, numberToIpv4 } from '../../packet/index.ts';
import type { Matcher } from './matcher.ts';

type AnyMap = XdpMap<unknown, unknown>;

/** How many entries of a map a failure shows. */
const SHOWN = 10;

function requireMap(matcher: string, received: unknown): AnyMap {
  if (received instanceof XdpMap) return received as AnyMap;
  throw invalidArgument(
    `${matcher}: expect() needs a map of a loaded object, got ${describeValue(received)}`,
  );
}

export const toHaveEntry: Matcher<[key: unknown, value?: unknown]> = function (received, key, ...rest) {
  const map = requireMap('toHaveEntry', received);
  const actual = map.get(key);
  if (rest.length === 0 || rest[0] === undefined) {
    return {
      pass: actual !== undefined,
      message: () =>
        this.isNot
          ? `expected ${map.name} not to have ${show(key)}, it has\n\n  ${show(actual)}`
          : `expected ${map.name} to have ${show(key)}\n\n${contents(map)}`,
    };
  }
  const [wanted] = rest;
  // As it was written (an address as text, members left out), or as it would be read.
  const pass =
    actual !== undefined && (this.equals(actual, wanted) || equalsWritten(this.equals, map, actual, wanted));
  return {
    pass,
    message: () => {
      if (this.isNot) return `expected ${map.name}[${show(key)}] to be anything but ${show(wanted)}`;
      if (actual === undefined) return `expected ${map.name} to have ${show(key)}\n\n${contents(map)}`;
      return `expected another value of ${map.name}[${show(key)}]`;
    },
    ...(actual === undefined || this.isNot ? {} : { actual: asWritten(actual, wanted), expected: wanted }),
  };
};

/** Whether a value, given as one writes it, is what is there: both brought into the form that reading gives. */
function equalsWritten(
  equals: (a: unknown, b: unknown) => boolean,
  map: AnyMap,
  actual: unknown,
  wanted: unknown,
): boolean {
  const normal = normalizeValue(map, wanted);
  return normal !== undefined && equals(actual, normal);
}

/** A value as one would write it, where the wanted one is written so: addresses as text, zero members left out. */
function asWritten(actual: unknown, wanted: unknown): unknown {
  if (typeof wanted === 'string') {
    if (typeof actual === 'number') return numberToIpv4(actual);
    if (actual instanceof Uint8Array && actual.length === 6) return formatMac(actual);
    if (actual instanceof Uint8Array && actual.length === 16) return formatIpv6(actual);
  }
  if (!isRecord(actual) || !isRecord(wanted)) return actual;
  return Object.fromEntries(
    Object.entries(actual)
      .filter(([member, value]) => member in wanted || (value !== 0 && value !== 0n && value !== ''))
      .map(([member, value]) => [member, asWritten(value, wanted[member])]),
  );
}

export const toHaveCount: Matcher<[key: unknown, count: unknown]> = function (received, key, count) {
  const map = requireMap('toHaveCount', received);
  const isPerCpu = /percpu/.test(map.type);
  const actual = isPerCpu ? map.sum(key) : map.get(key);
  const where = `${map.name}[${show(key)}]${isPerCpu ? ', summed over the CPUs,' : ''}`;
  return {
    pass: sameCount(actual, count),
    message: () => {
      if (actual === undefined) return `expected ${map.name} to have ${show(key)}\n\n${contents(map)}`;
      const not = this.isNot ? 'anything but ' : '';
      const each = isPerCpu ? `\n\n  by CPU: ${show(map.get(key))}` : '';
      return `expected ${where} to be ${not}${show(count)}, got ${show(actual)}${each}`;
    },
  };
};

/** Counters are bigints where they have 64 bits, which a test that says 3 need not care about. */
function sameCount(actual: unknown, wanted: unknown): boolean {
  if (isNumber(actual) && isNumber(wanted)) return BigInt(actual) === BigInt(wanted);
  if (Array.isArray(actual) && Array.isArray(wanted)) {
    return actual.length === wanted.length && actual.every((one, i) => sameCount(one, wanted[i]));
  }
  if (isRecord(actual) && isRecord(wanted)) {
    return Object.entries(wanted).every(([member, value]) => sameCount(actual[member], value));
  }
  return Object.is(actual, wanted);
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'bigint' || Number.isInteger(value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function show(value: unknown): string {
  return inspect(value, { breakLength: Number.POSITIVE_INFINITY, depth: 6 });
}

/** What a map holds, for the reader who wonders why his entry is not there. */
function contents(map: AnyMap): string {
  const entries = map.entries();
  const lines = entries.slice(0, SHOWN).map(([key, value]) => `  ${show(key)} => ${show(value)}`);
  const more = entries.length > SHOWN ? [`  and ${entries.length - SHOWN} more`] : [];
  return entries.length === 0
    ? '  it is empty'
    : [`  it has ${entries.length} of at most ${map.maxEntries} entries:`, ...lines, ...more].join('\n');
}
