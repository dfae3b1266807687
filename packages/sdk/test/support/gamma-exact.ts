/**
 * The chi-square tail in BigInt fixed point, by other formulas than the product's: with x = chiSquare / 2,
 * Q(a, x) is a share of the terms of e^x for whole a, and of e^x erf(√x) for half ones. No logarithms, no gamma
 * function, no subtraction that loses anything at this many digits.
 */

const FRACTION_BITS = 400n;
const ONE = 1n << FRACTION_BITS;

/** The upper tail to about 50 digits, rounded to a double. */
export function exactChiSquareTail(chiSquare: number, degreesOfFreedom: number): number {
  const x = fixedFromDouble(chiSquare) / 2n;
  const even = degreesOfFreedom % 2 === 0;
  const wholeBelow = Math.floor(degreesOfFreedom / 2);
  // e^x, and the first terms of the series that belong to the tail.
  const all = exponential(x);
  if (even) {
    let term = ONE;
    let tail = 0n;
    for (let j = 0; j < wholeBelow; j++) {
      tail += term;
      term = (term * x) / ONE / BigInt(j + 1);
    }
    return ratio(tail, all);
  }
  // e^x erf(√x) = Σ t_j with t_j = x^(j + 1/2) / Γ(j + 3/2); the tail is e^x minus the terms from wholeBelow on.
  let term = (2n * squareRoot(x) * ONE) / squareRoot(pi());
  let body = 0n;
  for (let j = 0; term > 0n; j++) {
    if (j >= wholeBelow) body += term;
    term = (term * 2n * x) / ONE / BigInt(2 * j + 3);
  }
  return ratio(all - body, all);
}

function exponential(x: bigint): bigint {
  let term = ONE;
  let sum = 0n;
  for (let j = 1n; term > 0n; j++) {
    sum += term;
    term = (term * x) / ONE / j;
  }
  return sum;
}

/** A double is a whole number times a power of two: no rounding here. */
function fixedFromDouble(value: number): bigint {
  let scaled = value;
  let shift = 0n;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    shift++;
  }
  return (BigInt(scaled) << FRACTION_BITS) >> shift;
}

function squareRoot(value: bigint): bigint {
  const target = value << FRACTION_BITS;
  let guess = 1n << BigInt(Math.ceil(target.toString(2).length / 2) + 1);
  for (;;) {
    const next = (guess + target / guess) >> 1n;
    if (next >= guess) return guess;
    guess = next;
  }
}

/** Machin: π = 16 arctan(1/5) - 4 arctan(1/239). */
function pi(): bigint {
  return 16n * arctanOfInverse(5n) - 4n * arctanOfInverse(239n);
}

function arctanOfInverse(n: bigint): bigint {
  let power = ONE / n;
  let sum = 0n;
  for (let k = 1n, sign = 1n; power > 0n; k += 2n, sign = -sign) {
    sum += (sign * power) / k;
    power /= n * n;
  }
  return sum;
}

function ratio(part: bigint, whole: bigint): number {
  const digits = 60n;
  return Number(`${(part * 10n ** (digits + 20n)) / whole}e-${digits + 20n}`);
}
