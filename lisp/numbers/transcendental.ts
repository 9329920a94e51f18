/** Irrational functions over the whole tower. Rational arguments give single floats; formats follow contagion. */
import { Complex, Ratio } from "../data/number.ts";
import {
  absReal,
  checkedFloat,
  formatOf,
  type Float,
  isFloat,
  isRational,
  isReal,
  type LispNumber,
  makeComplex,
  makeFloat,
  mul,
  rank,
  type Real,
  realToFloat,
  signReal,
} from "./arithmetic.ts";
import {
  acosOfReal,
  acosPair,
  acoshPair,
  asinhPair,
  asinOfReal,
  asinPair,
  atanhPair,
  atanPair,
  cosPair,
  coshPair,
  dividePair,
  expPair,
  logPair,
  type Pair,
  sinPair,
  sinhPair,
  sqrtPair,
  tanPair,
  tanhPair,
} from "./complex-functions.ts";
import { DOUBLE, type FloatFormat, SINGLE } from "./float-bits.ts";
import { ash } from "./bits.ts";
import { type Int, integerLength } from "./integers.ts";
import { divisionByZero, floatUnderflow, typeError } from "./number-errors.ts";

/** The float format a number computes in. */
function formatFor(x: LispNumber): FloatFormat {
  if (x instanceof Complex) return formatFor(x.re as Real);
  return isFloat(x) ? formatOf(x) : SINGLE;
}

/** The wider of two formats; rationals do not widen. */
export function widerFormat(a: LispNumber, b: LispNumber): FloatFormat {
  return formatFor(a) === DOUBLE || formatFor(b) === DOUBLE ? DOUBLE : SINGLE;
}

export function requireNumber(x: unknown): LispNumber {
  rank(x);
  return x as LispNumber;
}

export function requireReal(x: unknown): Real {
  return isReal(x) ? x : typeError(x, "REAL");
}

/** Value as a double for computing; rationals go in with full double precision, rounding happens at the end. */
export function doubleOf(x: Real): number {
  return isFloat(x) ? x.v : realToFloat(x, DOUBLE);
}

export function pairOf(x: LispNumber): Pair {
  return x instanceof Complex ? [doubleOf(x.re as Real), doubleOf(x.im as Real)] : [doubleOf(x), 0];
}

/** A complex float result, with traps. */
export function complexResult(
  [re, im]: Pair,
  format: FloatFormat,
  operation: string,
  ...operands: LispNumber[]
): Complex {
  const real = checkedFloat(re, format, operation, ...operands);
  return new Complex(real, checkedFloat(im, format, operation, ...operands));
}

interface Elementary {
  readonly name: string;
  /** Value on reals where `domain` (if any) holds. */
  readonly real: (x: number) => number;
  readonly domain?: (x: number) => boolean;
  readonly complex: (z: Pair) => Pair;
  /** Value on reals outside the domain; `complex` with imaginary part 0 if absent. */
  readonly outside?: (x: number) => Pair;
}

function elementary(f: Elementary): (x: unknown) => LispNumber {
  return (argument) => {
    const x = requireNumber(argument);
    const format = formatFor(x);
    if (x instanceof Complex) return complexResult(f.complex(pairOf(x)), format, f.name, x);
    const v = doubleOf(x);
    if (f.domain === undefined || f.domain(v) || Number.isNaN(v))
      return checkedFloat(f.real(v), format, f.name, x);
    return complexResult(f.outside === undefined ? f.complex([v, 0]) : f.outside(v), format, f.name, x);
  };
}

const inUnit = (x: number): boolean => x >= -1 && x <= 1;

export const sin = elementary({ name: "SIN", real: Math.sin, complex: sinPair });
export const cos = elementary({ name: "COS", real: Math.cos, complex: cosPair });
export const tan = elementary({ name: "TAN", real: Math.tan, complex: tanPair });
export const sinh = elementary({ name: "SINH", real: Math.sinh, complex: sinhPair });
export const cosh = elementary({ name: "COSH", real: Math.cosh, complex: coshPair });
export const tanh = elementary({ name: "TANH", real: Math.tanh, complex: tanhPair });
export const asin = elementary({
  name: "ASIN",
  real: Math.asin,
  domain: inUnit,
  complex: asinPair,
  outside: asinOfReal,
});
export const acos = elementary({
  name: "ACOS",
  real: Math.acos,
  domain: inUnit,
  complex: acosPair,
  outside: acosOfReal,
});
export const asinh = elementary({ name: "ASINH", real: Math.asinh, complex: asinhPair });
export const acosh = elementary({
  name: "ACOSH",
  real: Math.acosh,
  domain: (x) => x >= 1,
  complex: acoshPair,
});

const atanhElementary = elementary({ name: "ATANH", real: Math.atanh, domain: inUnit, complex: atanhPair });
const atanElementary = elementary({ name: "ATAN", real: Math.atan, complex: atanPair });

/** ATANH; 1 and -1 are poles. */
export function atanh(x: unknown): LispNumber {
  const z = requireNumber(x);
  if (!(z instanceof Complex) && Math.abs(doubleOf(z)) === 1) divisionByZero("ATANH", [z]);
  return atanhElementary(z);
}

/** ATAN of one argument; i and -i are poles. */
export function atan(x: unknown): LispNumber {
  const z = requireNumber(x);
  if (z instanceof Complex) {
    const [re, im] = pairOf(z);
    if (re === 0 && Math.abs(im) === 1) divisionByZero("ATAN", [z]);
  }
  return atanElementary(z);
}

/** ATAN of two reals: the angle of x + iy. */
export function atan2(y: unknown, x: unknown): LispNumber {
  const a = requireReal(y);
  const b = requireReal(x);
  return checkedFloat(Math.atan2(doubleOf(a), doubleOf(b)), widerFormat(a, b), "ATAN", a, b);
}

/** EXP; a result too small to represent is FLOATING-POINT-UNDERFLOW. */
export function exp(x: unknown): LispNumber {
  const z = requireNumber(x);
  const format = formatFor(z);
  if (z instanceof Complex) return complexResult(expPair(pairOf(z)), format, "EXP", z);
  const v = doubleOf(z);
  return nonzero(checkedFloat(Math.exp(v), format, "EXP", z), v === -Infinity, "EXP", z);
}

/** Traps underflow to zero of a result that is not exactly zero. */
export function nonzero(r: Float, exact: boolean, operation: string, ...operands: LispNumber[]): Float {
  if (r.v === 0 && !exact) floatUnderflow(operation, operands);
  return r;
}

/** Natural logarithm of a positive integer of any size. */
function logOfInteger(n: Int): number {
  if (typeof n === "number") return Math.log(n);
  const shift = Math.max(0, integerLength(n) - 64);
  return Math.log(Number(ash(n, -shift))) + shift * Math.LN2;
}

function logOfMagnitude(x: Real): number {
  const m = absReal(x);
  if (isFloat(m)) return Math.log(m.v);
  if (!(m instanceof Ratio)) return logOfInteger(m);
  const v = realToFloat(m, DOUBLE, "LOG");
  // Near 1 the quotient is exact enough; far out the difference of logarithms does not overflow.
  return v > 1e-300 && v < 1e300 ? Math.log(v) : logOfInteger(m.num) - logOfInteger(m.den);
}

/** Natural logarithm as pair and flag whether it is real; zero is DIVISION-BY-ZERO. */
function naturalLog(z: LispNumber): { pair: Pair; real: boolean } {
  if (z instanceof Complex) {
    const pair = pairOf(z);
    if (pair[0] === 0 && pair[1] === 0) divisionByZero("LOG", [z]);
    return { pair: logPair(pair), real: false };
  }
  if (signReal(z) === 0 && !(isFloat(z) && Number.isNaN(z.v))) divisionByZero("LOG", [z]);
  const negative = isFloat(z) ? z.v < 0 : signReal(z) < 0;
  return { pair: [logOfMagnitude(z), negative ? Math.PI : 0], real: !negative };
}

/** LOG of one argument. */
export function log(x: unknown): LispNumber {
  const z = requireNumber(x);
  const { pair, real } = naturalLog(z);
  return real ? checkedFloat(pair[0], formatFor(z), "LOG", z) : complexResult(pair, formatFor(z), "LOG", z);
}

/** LOG to a base; powers of 2 and 10 come out exact. */
export function logBase(x: unknown, base: unknown): LispNumber {
  const z = requireNumber(x);
  const b = requireNumber(base);
  const format = widerFormat(z, b);
  if (!(b instanceof Complex) && signReal(b) === 0)
    return isFloat(z) || isFloat(b) ? makeFloat(0, format) : 0;
  const top = naturalLog(z);
  const bottom = naturalLog(b);
  if (bottom.pair[0] === 0 && bottom.pair[1] === 0) return divisionByZero("LOG", [z, b]);
  if (!top.real || !bottom.real) return complexResult(dividePair(top.pair, bottom.pair), format, "LOG", z, b);
  const v = exactLogBase(z as Real, b as Real) ?? top.pair[0] / bottom.pair[0];
  return checkedFloat(v, format, "LOG", z, b);
}

function exactLogBase(x: Real, b: Real): number | undefined {
  const base = doubleOf(b);
  if (base !== 2 && base !== 10) return undefined;
  if (typeof x === "bigint") return undefined;
  const v = doubleOf(x);
  return base === 2 ? Math.log2(v) : Math.log10(v);
}

/** SQRT. The root of a negative real is complex. */
export function sqrt(x: unknown): LispNumber {
  const z = requireNumber(x);
  const format = formatFor(z);
  if (z instanceof Complex) return complexResult(sqrtPair(pairOf(z)), format, "SQRT", z);
  const v = isRational(z) ? realToFloat(z, DOUBLE, "SQRT") : doubleOf(z);
  if (v >= 0 || Number.isNaN(v)) return checkedFloat(Math.sqrt(v), format, "SQRT", z);
  return new Complex(makeFloat(0, format), checkedFloat(Math.sqrt(-v), format, "SQRT", z));
}

/** PHASE. */
export function phase(x: unknown): LispNumber {
  const z = requireNumber(x);
  const [re, im] = pairOf(z);
  return makeFloat(Math.atan2(z instanceof Complex ? im : 0, re), formatFor(z));
}

/** CIS of a real. */
export function cis(x: unknown): LispNumber {
  const r = requireReal(x);
  const v = doubleOf(r);
  return complexResult([Math.cos(v), Math.sin(v)], formatFor(r), "CIS", r);
}

/** ABS of any number. */
export function abs(x: unknown): LispNumber {
  const z = requireNumber(x);
  if (!(z instanceof Complex)) return absReal(z);
  const [re, im] = pairOf(z);
  return checkedFloat(Math.hypot(re, im), formatFor(z), "ABS", z);
}

/** SIGNUM of a complex number: same direction, modulus one. */
export function signumComplex(z: Complex): LispNumber {
  const [re, im] = pairOf(z);
  const h = Math.hypot(re, im);
  if (h === 0) return z;
  return complexResult([re / h, im / h], formatFor(z), "SIGNUM", z);
}

/** CONJUGATE. */
export function conjugate(x: unknown): LispNumber {
  const z = requireNumber(x);
  return z instanceof Complex ? makeComplex(z.re as Real, mul(z.im, -1) as Real) : z;
}
