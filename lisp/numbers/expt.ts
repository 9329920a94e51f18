/** EXPT over the whole tower. */
import { Complex, Ratio } from "../data/number.ts";
import {
  checkedFloat,
  div,
  isFloat,
  isRational,
  type LispNumber,
  makeFloat,
  mul,
  type Real,
  signReal,
} from "./arithmetic.ts";
import { longPart } from "../data/long-work.ts";
import { stepsOf } from "./integer-size.ts";
import { makeRational, type Rational } from "./rationals.ts";
import { expPair, logPair, multiplyPair } from "./complex-functions.ts";
import { exptInt, type Int, isInteger, isOdd, negInt, quotInt, signInt } from "./integers.ts";
import { divisionByZero, floatInvalid } from "./number-errors.ts";
import { complexResult, doubleOf, nonzero, pairOf, requireNumber, widerFormat } from "./transcendental.ts";

/** EXPT. An integer power of a rational is exact. */
export function expt(base: unknown, power: unknown): LispNumber {
  const b = requireNumber(base);
  const p = requireNumber(power);
  if (isInteger(p)) return integerPower(b, p);
  if (isZero(b)) return powerOfZero(b, p);
  if (!(b instanceof Complex) && !(p instanceof Complex)) {
    const x = doubleOf(b);
    const y = doubleOf(p);
    if (x > 0 || Number.isInteger(y) || Number.isNaN(x + y)) {
      const format = widerFormat(b, p);
      const r = checkedFloat(x ** y, format, "EXPT", b, p);
      return nonzero(r, x - x !== 0 || y - y !== 0, "EXPT", b, p);
    }
  }
  const exponent = multiplyPair(pairOf(p), logPair(pairOf(b)));
  return complexResult(expPair(exponent), widerFormat(b, p), "EXPT", b, p);
}

function isZero(x: LispNumber): boolean {
  if (x instanceof Complex) return signReal(x.re as Real) === 0 && signReal(x.im as Real) === 0;
  return signReal(x) === 0 && !(isFloat(x) && Number.isNaN(x.v));
}

/** A zero base: zero for powers with positive real part, otherwise undefined. */
function powerOfZero(b: LispNumber, p: LispNumber): LispNumber {
  const real = p instanceof Complex ? (p.re as Real) : p;
  const sign = signReal(real);
  if (sign < 0) return divisionByZero("EXPT", [b, p]);
  if (sign === 0) return floatInvalid("EXPT", [b, p]);
  if (isRational(b) && p instanceof Ratio) return 0;
  return mul(b, p);
}

/** One in the type of the base. */
function unit(b: LispNumber): LispNumber {
  if (isFloat(b)) return makeFloat(1, widerFormat(b, b));
  if (b instanceof Complex && isFloat(b.re)) return complexResult([1, 0], widerFormat(b, b), "EXPT", b);
  return 1;
}

function integerPower(b: LispNumber, n: Int): LispNumber {
  if (n === 0) return unit(b);
  if (isRational(b)) return rationalPower(b, n);
  if (isFloat(b)) {
    if (b.v === 0 && n < 0) return divisionByZero("EXPT", [b, n]);
    const r = checkedFloat(floatPower(b.v, n), widerFormat(b, b), "EXPT", b, n);
    return nonzero(r, b.v === 0 || b.v - b.v !== 0, "EXPT", b, n);
  }
  return n < 0 ? div(1, repeatedSquare(b, negInt(n))) : repeatedSquare(b, n);
}

function floatPower(v: number, n: Int): number {
  if (typeof n === "number") return v ** n;
  // A bignum loses its low bits as a double, so the sign is settled first.
  const magnitude = Math.abs(v) ** Number(n);
  return v < 0 && isOdd(n) ? -magnitude : magnitude;
}

function rationalPower(b: Rational, n: Int): Rational {
  if (signInt(n) < 0) {
    if (b === 0) return divisionByZero("EXPT", [b, n]);
    const m = negInt(n);
    return b instanceof Ratio
      ? makeRational(exptInt(b.den, m), exptInt(b.num, m))
      : makeRational(1, exptInt(b, m));
  }
  return b instanceof Ratio ? new Ratio(exptInt(b.num, n), exptInt(b.den, n)) : exptInt(b, n);
}

function repeatedSquare(b: LispNumber, n: Int): LispNumber {
  let result: LispNumber | undefined;
  let square = b;
  let rest = n;
  for (;;) {
    if (isOdd(rest)) result = result === undefined ? square : product(result, square);
    rest = quotInt(rest, 2);
    if (rest === 0) return result as LispNumber;
    square = product(square, square);
  }
}

/** A product on the way to a power. */
function product(a: LispNumber, b: LispNumber): LispNumber {
  return isLong(a) ? longPart(() => mul(a, b)) : mul(a, b);
}

function isLong(a: LispNumber): boolean {
  if (a instanceof Complex) return isLong(a.re as Real) || isLong(a.im as Real);
  return a instanceof Ratio ? stepsOf(a.num) + stepsOf(a.den) > 0 : stepsOf(a) > 0;
}
