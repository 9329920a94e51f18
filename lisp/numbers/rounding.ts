/** FLOOR, CEILING, TRUNCATE, ROUND, their float versions, MOD and REM over all reals. */
import {
  checkedFloat,
  DOUBLE_RANK,
  formatOf,
  isFloat,
  isReal,
  makeFloat,
  rank,
  type Real,
  realToFloat,
  signReal,
} from "./arithmetic.ts";
import { denominatorOf, makeRational, numeratorOf, type Rational } from "./rationals.ts";
import {
  decodeFloat,
  DOUBLE,
  exactRational,
  type FloatFormat,
  roundRational,
  scaleByPowerOfTwo,
  SINGLE,
} from "./float-bits.ts";
import {
  addInt,
  divideInt,
  type Int,
  isInteger,
  isOdd,
  mulInt,
  remInt,
  type Rounding,
  subInt,
} from "./integers.ts";
import { divisionByZero, floatInvalid, typeError } from "./number-errors.ts";

const OPERATION: Readonly<Record<Rounding, string>> = {
  floor: "FLOOR",
  ceiling: "CEILING",
  truncate: "TRUNCATE",
  round: "ROUND",
};

function requireReal(x: unknown): Real {
  return isReal(x) ? x : typeError(x, "REAL");
}

/** Integer quotient and remainder of two reals. */
export function divideReal(mode: Rounding, a: unknown, b: unknown): [quotient: Int, remainder: Real] {
  const x = requireReal(a);
  const y = requireReal(b);
  if (signReal(y) === 0 && !(isFloat(y) && Number.isNaN(y.v))) return divideByZero(OPERATION[mode], x, y);
  if (isInteger(x) && isInteger(y)) return divideInt(mode, x, y);
  if (isFloat(x) || isFloat(y)) return divideFloats(mode, x, y);
  return divideRationals(mode, x, y);
}

/** Zero over zero in floats is an invalid operation, everything else over zero a division by zero. */
function divideByZero(operation: string, x: Real, y: Real): never {
  if ((isFloat(x) || isFloat(y)) && signReal(x) === 0) return floatInvalid(operation, [x, y]);
  return divisionByZero(operation, [x, y]);
}

/** a/b and c/d: the quotient is that of ad and cb, the remainder is theirs over bd. */
function divideRationals(mode: Rounding, a: Rational, b: Rational): [Int, Rational] {
  const da = denominatorOf(a);
  const db = denominatorOf(b);
  const [q, r] = divideInt(mode, mulInt(numeratorOf(a), db), mulInt(numeratorOf(b), da));
  return [q, makeRational(r, mulInt(da, db))];
}

function divideFloats(mode: Rounding, a: Real, b: Real): [Int, Real] {
  const format = rank(a) === DOUBLE_RANK || rank(b) === DOUBLE_RANK ? DOUBLE : SINGLE;
  const x = realToFloat(a, format, OPERATION[mode]);
  const y = realToFloat(b, format, OPERATION[mode]);
  if (x - x !== 0 || Number.isNaN(y)) return floatInvalid(OPERATION[mode], [a, b]);
  const round = (v: number): number => (format === DOUBLE ? v : Math.fround(v));
  const q = Math.trunc(round(x / y));
  // While the quotient is exact as a float, quotient and remainder are those of float arithmetic; beyond, exact arithmetic.
  if (Math.abs(q) < 2 ** format.digits)
    return adjustFloat(mode, q + 0, round(x - round((q + 0) * y)), y, format);
  const r = x % y;
  return adjustFloat(mode, truncatedQuotient(x, y, r, format), r + 0, y, format);
}

/** Exact integer part of x/y given the exact remainder r. */
function truncatedQuotient(x: number, y: number, r: number, format: FloatFormat): Int {
  const q = (x - r) / y;
  if (Math.abs(q) <= Number.MAX_SAFE_INTEGER) return Math.round(q) + 0;
  const [xn, xd] = exactRational(x, format);
  const [yn, yd] = exactRational(y, format);
  return divideInt("truncate", mulInt(xn, yd), mulInt(yn, xd))[0];
}

/** Moves a truncated quotient and its remainder to the wanted rounding. */
function adjustFloat(mode: Rounding, q: Int, r: number, y: number, format: FloatFormat): [Int, Real] {
  const keep = (): [Int, Real] => [q, makeFloat(r, format)];
  if (r === 0 || mode === "truncate") return keep();
  const sameSign = r < 0 === y < 0;
  const up = (): [Int, Real] => [addInt(q, 1), makeFloat(r - y, format)];
  const down = (): [Int, Real] => [subInt(q, 1), makeFloat(r + y, format)];
  if (mode === "floor") return sameSign ? keep() : down();
  if (mode === "ceiling") return sameSign ? up() : keep();
  const rest = Math.abs(y) - Math.abs(r);
  const closer = Math.abs(r) - rest;
  if (closer < 0 || (closer === 0 && !isOdd(q))) return keep();
  return sameSign ? up() : down();
}

/** FFLOOR and its kin: the quotient as a float. Two rationals give a single float. */
export function divideRealFloat(mode: Rounding, a: unknown, b: unknown): [quotient: Real, remainder: Real] {
  const [q, r] = divideReal(mode, a, b);
  const x = a as Real;
  const y = b as Real;
  const format = isFloat(x)
    ? isFloat(y) && formatOf(y) === DOUBLE
      ? DOUBLE
      : formatOf(x)
    : isFloat(y)
      ? formatOf(y)
      : SINGLE;
  const v = realToFloat(q, format, `F${OPERATION[mode]}`);
  if (v !== 0) return [makeFloat(v, format), r];
  return [makeFloat(negativeZeroQuotient(x, y) ? -0 : 0, format), r];
}

function negativeZeroQuotient(x: Real, y: Real): boolean {
  const negative = (z: Real): boolean => (isFloat(z) ? z.v < 0 || Object.is(z.v, -0) : signReal(z) < 0);
  return (isFloat(x) || isFloat(y)) && negative(x) !== negative(y);
}

/** MOD. */
export function modReal(a: unknown, b: unknown): Real {
  if (typeof a === "number" && typeof b === "number" && b !== 0) {
    const r = (a % b) + 0;
    return r !== 0 && r < 0 !== b < 0 ? r + b : r;
  }
  if (isInteger(a) && isInteger(b) && b !== 0) {
    const r = remInt(a, b);
    return r !== 0 && r < 0 !== b < 0 ? addInt(r, b) : r;
  }
  return divideReal("floor", a, b)[1];
}

/** REM. */
export function remReal(a: unknown, b: unknown): Real {
  if (typeof a === "number" && typeof b === "number" && b !== 0) return (a % b) + 0;
  if (isInteger(a) && isInteger(b) && b !== 0) return remInt(a, b);
  return divideReal("truncate", a, b)[1];
}

/** SIGNUM of a real. */
export function signumReal(x: Real): Real {
  const s = signReal(x);
  if (!isFloat(x)) return s;
  return s === 0 ? x : makeFloat(s, formatOf(x));
}

/** FLOAT-SIGN of two floats. */
export function floatSign(a: Real, b: Real): Real {
  if (!isFloat(a)) return typeError(a, "FLOAT");
  if (!isFloat(b)) return typeError(b, "FLOAT");
  const negative = a.v < 0 || Object.is(a.v, -0);
  const magnitude = Math.abs(b.v);
  const format = formatOf(a) === DOUBLE ? DOUBLE : formatOf(b);
  return makeFloat(negative ? -magnitude : magnitude, format);
}

/** SCALE-FLOAT: one rounding at most, when the result is denormal; overflow is trapped. */
export function scaleFloat(x: Real, power: Int): Real {
  if (!isFloat(x)) return typeError(x, "FLOAT");
  const format = formatOf(x);
  if (x.v === 0 || x.v - x.v !== 0) return x;
  const { mantissa, exponent, sign } = decodeFloat(x.v, format);
  const e = exponent + Math.max(-5000, Math.min(5000, Number(power)));
  if (e >= format.minExponent)
    return checkedFloat(sign * scaleByPowerOfTwo(mantissa, e), format, "SCALE-FLOAT", x);
  const small = e < format.minExponent - 60 ? 0 : roundRational(BigInt(mantissa), 1n << BigInt(-e), format);
  return makeFloat(sign * small, format);
}
