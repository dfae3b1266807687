/** pcapng counts time in ticks of an interface's own: `if_tsresol` and `if_tsoffset`. */

const NS_PER_SECOND = 1_000_000_000n;

/** How an interface's ticks become nanoseconds since 1970. */
export interface Clock {
  readonly ticksPerSecond: bigint;
  readonly offsetSeconds: bigint;
}

/** Microseconds since 1970: what holds without options. */
export const defaultClock: Clock = { ticksPerSecond: 1_000_000n, offsetSeconds: 0n };

/** `if_tsresol`: a negative power of 10, or of 2 when the top bit is set. */
export function ticksPerSecond(resolution: number): bigint {
  const exponent = BigInt(resolution & 0x7f);
  return resolution & 0x80 ? 1n << exponent : 10n ** exponent;
}

export function toNanoseconds(clock: Clock, high: number, low: number): bigint {
  const ticks = (BigInt(high) << 32n) | BigInt(low);
  const scaled =
    clock.ticksPerSecond === NS_PER_SECOND ? ticks : (ticks * NS_PER_SECOND) / clock.ticksPerSecond;
  return scaled + clock.offsetSeconds * NS_PER_SECOND;
}
