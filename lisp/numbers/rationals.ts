/** Exact arithmetic on rationals; results are in lowest terms, with as few and as small divisions as possible. */
import { Ratio } from "../data/number.ts";
import { gcdInt } from "./common-divisors.ts";
import { addInt, type Int, isInteger, mulInt, negInt, quotInt, subInt } from "./integers.ts";
import { divisionByZero } from "./number-errors.ts";

export type Rational = Int | Ratio;

/** num/den in normal form; den is not zero. */
export function makeRational(num: Int, den: Int): Rational {
  if (den === 1) return num;
  const g = gcdInt(num, den);
  return ratioOf(g === 1 ? num : quotInt(num, g), g === 1 ? den : quotInt(den, g));
}

/** num/den, which have no common factor, with a positive denominator. */
function ratioOf(num: Int, den: Int): Rational {
  if (den === 1) return num;
  if (den < 0) return ratioOf(negInt(num), negInt(den));
  return new Ratio(num, den);
}

export function numeratorOf(x: Rational): Int {
  return x instanceof Ratio ? x.num : x;
}

export function denominatorOf(x: Rational): Int {
  return x instanceof Ratio ? x.den : 1;
}

/** Sum or difference. Only a factor that the denominators share can be common to the result's parts. */
function combine(a: Rational, b: Rational, operation: (x: Int, y: Int) => Int): Rational {
  if (isInteger(a) && isInteger(b)) return operation(a, b);
  const da = denominatorOf(a);
  const db = denominatorOf(b);
  const g = gcdInt(da, db);
  if (g === 1)
    return ratioOf(operation(mulInt(numeratorOf(a), db), mulInt(numeratorOf(b), da)), mulInt(da, db));
  const rest = quotInt(da, g);
  const num = operation(mulInt(numeratorOf(a), quotInt(db, g)), mulInt(numeratorOf(b), rest));
  const h = gcdInt(num, g);
  return ratioOf(quotInt(num, h), mulInt(rest, quotInt(db, h)));
}

export function addRational(a: Rational, b: Rational): Rational {
  return combine(a, b, addInt);
}

export function subRational(a: Rational, b: Rational): Rational {
  return combine(a, b, subInt);
}

/** (an/ad)(bn/bd), after cancelling crosswise; den 1 stands for an integer. */
function multiply(an: Int, ad: Int, bn: Int, bd: Int): Rational {
  const g = gcdInt(an, bd);
  const h = gcdInt(bn, ad);
  return ratioOf(mulInt(quotInt(an, g), quotInt(bn, h)), mulInt(quotInt(ad, h), quotInt(bd, g)));
}

export function mulRational(a: Rational, b: Rational): Rational {
  if (isInteger(a) && isInteger(b)) return mulInt(a, b);
  if (a === 0 || b === 0) return 0;
  return multiply(numeratorOf(a), denominatorOf(a), numeratorOf(b), denominatorOf(b));
}

export function divRational(a: Rational, b: Rational): Rational {
  if (b === 0) return divisionByZero("/", [a, b]);
  if (a === 0) return 0;
  return multiply(numeratorOf(a), denominatorOf(a), denominatorOf(b), numeratorOf(b));
}
