/**
 * The upper tail of the chi-square distribution, by the regularised incomplete gamma function.
 *
 * The tail is computed itself and never as `1 - cdf`, which is 0 for every p below 1e-16. The factor
 * x^a e^-x / Γ(a) is taken in the saddle-point form of C. Loader ("Fast and Accurate Computation of Binomial
 * Probabilities", 2000): the difference of large logarithms would lose three digits at 1000 degrees of freedom.
 */
import { describeValue, invalidArgument } from '../errors.ts';

const SQRT_2PI = 2.5066282746310002;
const EPSILON = 2 ** -53;

/**
 * The probability that a chi-square variable with `degreesOfFreedom` is at least `chiSquare`.
 * Relative error below 1e-12 down to p = 1e-30 (held by a test against arbitrary precision).
 */
export function chiSquareUpperTail(chiSquare: number, degreesOfFreedom: number): number {
  if (typeof chiSquare !== 'number' || !(chiSquare >= 0)) {
    throw invalidArgument(`chiSquareUpperTail: chiSquare must be 0 or more, got ${describeValue(chiSquare)}`);
  }
  if (typeof degreesOfFreedom !== 'number' || !(degreesOfFreedom > 0) || degreesOfFreedom === Infinity) {
    throw invalidArgument(
      `chiSquareUpperTail: degreesOfFreedom must be more than 0, got ${describeValue(degreesOfFreedom)}`,
    );
  }
  return upperGamma(degreesOfFreedom / 2, chiSquare / 2);
}

/** The probability that a standard normal variable is at least `z`. */
export function normalUpperTail(z: number): number {
  const outer = 0.5 * upperGamma(0.5, (z * z) / 2);
  return z < 0 ? 1 - outer : outer;
}

/** Q(a, x) for a > 0 and x >= 0. */
function upperGamma(a: number, x: number): number {
  if (x === 0) return 1;
  if (x === Infinity) return 0;
  // Below a + 1 the series for P converges fast and Q is no smaller than about 0.15: nothing is lost by 1 - P.
  return x < a + 1 ? 1 - gammaDensity(a, x) * lowerSeries(a, x) : gammaDensity(a, x) * upperFraction(a, x);
}

/** x^a e^-x / Γ(a), without the cancellation of its logarithms. */
function gammaDensity(a: number, x: number): number {
  const deviance = a * excess((x - a) / a, x / a);
  return (Math.sqrt(a) / SQRT_2PI) * Math.exp(-deviance - stirlingError(a));
}

/** Σ x^n / (a (a+1) ... (a+n)): the lower function is the density times this. */
function lowerSeries(a: number, x: number): number {
  let term = 1 / a;
  let sum = term;
  for (let n = 1; term > sum * EPSILON; n++) {
    term *= x / (a + n);
    sum += term;
  }
  return sum;
}

/**
 * Legendre's continued fraction 1/(x+1-a- 1(1-a)/(x+3-a- 2(2-a)/(x+5-a- ...))): the upper function is the density
 * times this. Lentz' forward pass finds how deep to go; the value comes from a backward pass, in which rounding
 * errors shrink at each step instead of adding up.
 */
function upperFraction(a: number, x: number): number {
  const depth = fractionDepth(a, x);
  let tail = x + 2 * depth + 1 - a;
  for (let n = depth; n > 0; n--) {
    tail = x + 2 * n - 1 - a - (n * (n - a)) / tail;
  }
  return 1 / tail;
}

function fractionDepth(a: number, x: number): number {
  let b = x + 1 - a;
  let c = Infinity;
  let d = 1 / b;
  for (let n = 1; ; n++) {
    const numerator = -n * (n - a);
    b += 2;
    d = 1 / (numerator * d + b);
    c = b + numerator / c;
    // The forward pass can only settle to a few units of its own rounding: 4 epsilon, and the rest is margin.
    if (Math.abs(c * d - 1) <= 4 * EPSILON || numerator === 0) return n + 8;
  }
}

/** u - log(1 + u), given both u and 1 + u: near u = 0 and near 1 + u = 0 the other one has lost its digits. */
function excess(u: number, onePlusU: number): number {
  if (Math.abs(u) > 0.4) return u - Math.log(onePlusU);
  // With s = u / (2 + u): log1p(u) = 2 (s + s^3/3 + s^5/5 + ...), and u - 2s = u s.
  const s = u / (2 + u);
  const square = s * s;
  let power = s * square;
  let sum = 0;
  for (let n = 3; Math.abs(power) > Math.abs(u * s) * EPSILON * 0.01; n += 2) {
    sum += power / n;
    power *= square;
  }
  return u * s - 2 * sum;
}

/** log Γ(a) - ((a - 1/2) log a - a + log √2π), by Stirling's series; smaller arguments are shifted up first. */
function stirlingError(a: number): number {
  let shift = 0;
  let at = a;
  for (; at < 20; at++) shift += (at + 0.5) * Math.log1p(1 / at) - 1;
  const inverse = 1 / (at * at);
  const series =
    1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse * (1 / 1680 - inverse * (1 / 1188))));
  return shift + series / at;
}
