/** Registers arithmetic, comparison and number predicates (chapter 12 of the standard) as leaves. */
import type { LeafInstaller } from "../data/leaf.ts";
import { Complex } from "../data/number.ts";
import { bool } from "../data/symbol.ts";
import { SHARE, inShares } from "../data/unfinished.ts";
import type { LispValue } from "../data/value.ts";
import {
  add,
  compareReal,
  div,
  isFloat,
  isNumber,
  isRational,
  isReal,
  makeComplex,
  mul,
  negate,
  numbersEqual,
  partsOf,
  type Real,
  signReal,
  sub,
} from "./arithmetic.ts";
import { foldArguments } from "./argument-fold.ts";
import { gcdInt, lcmInt } from "./common-divisors.ts";
import { stepsOf } from "./integer-size.ts";
import { type Int, isInteger, isOdd, isqrtInt } from "./integers.ts";
import { inSteps } from "../data/long-work.ts";
import { typeError } from "./number-errors.ts";
import { requireNumber, requireReal } from "./transcendental.ts";

/** Argument as an integer, or a type error. */
export function requireInteger(x: unknown): Int {
  return isInteger(x) ? x : typeError(x, "INTEGER");
}

type Comparison = (order: number) => boolean;

/** N-ary comparison; every argument is checked even after the answer is known. */
function chain(holds: Comparison): (...numbers: LispValue[]) => LispValue {
  return (...numbers) => {
    requireReal(numbers[0]);
    const combine = (result: boolean, next: LispValue, i: number): boolean =>
      holds(compareReal(numbers[i - 1], next)) && result;
    return foldArguments(numbers, 1, true, combine, bool);
  };
}

/** Pairs of numbers that are compared at once. */
const QUICK_PAIRS = 4_096;

function allDifferent(numbers: readonly LispValue[]): LispValue {
  for (const x of numbers) requireNumber(x);
  if (numbers.length ** 2 > QUICK_PAIRS || numbers.some((x) => stepsOf(x) > 0))
    return inShares(differentSteps(numbers));
  return bool(numbers.every((a, i) => !numbers.slice(0, i).some((b) => numbersEqual(a, b))));
}

function* differentSteps(numbers: readonly LispValue[]): Generator<void, LispValue> {
  let done = 0;
  for (const [i, a] of numbers.entries()) {
    for (let j = 0; j < i; j++) {
      if (yield* inSteps(() => numbersEqual(numbers[j], a))) return bool(false);
      done += 1 + stepsOf(a);
      if (done > SHARE) {
        done = 0;
        yield;
      }
    }
  }
  return bool(true);
}

function extreme(better: Comparison): (...numbers: LispValue[]) => LispValue {
  const combine = (best: Real, next: LispValue): Real =>
    better(compareReal(next, best)) ? (next as Real) : best;
  return (...numbers) => foldArguments<Real>(numbers, 1, requireReal(numbers[0]), combine, (best) => best);
}

const installComparisons: LeafInstaller = (define) => {
  define("=", "number &rest numbers", (...numbers: LispValue[]) => {
    const [first] = numbers;
    requireNumber(first);
    const combine = (result: boolean, next: LispValue): boolean => numbersEqual(first, next) && result;
    return foldArguments(numbers, 1, true, combine, bool);
  });
  define("/=", "number &rest numbers", (...numbers: LispValue[]) => allDifferent(numbers));
  define(
    "<",
    "number &rest numbers",
    chain((order) => order < 0),
  );
  define(
    ">",
    "number &rest numbers",
    chain((order) => order > 0),
  );
  define(
    "<=",
    "number &rest numbers",
    chain((order) => order <= 0),
  );
  define(
    ">=",
    "number &rest numbers",
    chain((order) => order >= 0),
  );
  define(
    "MAX",
    "number &rest numbers",
    extreme((order) => order > 0),
  );
  define(
    "MIN",
    "number &rest numbers",
    extreme((order) => order < 0),
  );
  define("SYS:TWO-ARG-=", "a b", (a: LispValue, b: LispValue) => bool(numbersEqual(a, b)));
  define("SYS:TWO-ARG-<", "a b", (a: LispValue, b: LispValue) => bool(compareReal(a, b) < 0));
  define("SYS:TWO-ARG->", "a b", (a: LispValue, b: LispValue) => bool(compareReal(a, b) > 0));
  define("SYS:TWO-ARG-<=", "a b", (a: LispValue, b: LispValue) => bool(compareReal(a, b) <= 0));
  define("SYS:TWO-ARG->=", "a b", (a: LispValue, b: LispValue) => bool(compareReal(a, b) >= 0));
};

function isZero(x: LispValue): boolean {
  const z = requireNumber(x);
  if (isFloat(z)) return z.v === 0;
  if (z instanceof Complex) return partsOf(z).every((part) => isZero(part));
  return z === 0;
}

const installPredicates: LeafInstaller = (define) => {
  define("ZEROP", "number", (x: LispValue) => bool(isZero(x)));
  define("PLUSP", "real", (x: LispValue) => bool(signReal(requireReal(x)) > 0));
  define("MINUSP", "real", (x: LispValue) => bool(signReal(requireReal(x)) < 0));
  define("EVENP", "integer", (x: LispValue) => bool(!isOdd(requireInteger(x))));
  define("ODDP", "integer", (x: LispValue) => bool(isOdd(requireInteger(x))));
  define("NUMBERP", "object", (x: LispValue) => bool(isNumber(x)), { total: true });
  define("REALP", "object", (x: LispValue) => bool(isReal(x)), { total: true });
  define("RATIONALP", "object", (x: LispValue) => bool(isRational(x)), { total: true });
  define("INTEGERP", "object", (x: LispValue) => bool(isInteger(x)), { total: true });
  define("FLOATP", "object", (x: LispValue) => bool(isFloat(x)), { total: true });
  define("COMPLEXP", "object", (x: LispValue) => bool(x instanceof Complex), { total: true });
};

const installOperations: LeafInstaller = (define, host) => {
  const charged = (total: LispValue): LispValue => {
    if (typeof total === "bigint") host.charge(stepsOf(total));
    return total;
  };
  const product = (total: LispValue): LispValue => {
    if (typeof total === "bigint") host.charge(PRODUCT_WEIGHT * stepsOf(total));
    return total;
  };
  // Two arguments are by far the most frequent; they come without an array.
  define("+", "&rest numbers", function plus(a?: LispValue, b?: LispValue): LispValue {
    if (arguments.length === 2) return charged(add(a, b));
    if (a === undefined) return 0;
    return foldArguments([...(arguments as Iterable<LispValue>)], 1, requireNumber(a), add, charged);
  });
  define("*", "&rest numbers", function times(a?: LispValue, b?: LispValue): LispValue {
    if (arguments.length === 2) return product(mul(a, b));
    if (a === undefined) return 1;
    return foldArguments([...(arguments as Iterable<LispValue>)], 1, requireNumber(a), mul, product);
  });
  define("-", "number &rest numbers", function minus(a: LispValue, b?: LispValue): LispValue {
    if (b === undefined) return negate(a);
    if (arguments.length === 2) return charged(sub(a, b));
    return foldArguments([...(arguments as Iterable<LispValue>)], 1, requireNumber(a), sub, charged);
  });
  define("/", "number &rest numbers", (...numbers: LispValue[]) => {
    if (numbers.length === 1) return div(1, numbers[0]);
    return foldArguments(numbers, 1, requireNumber(numbers[0]), div, product);
  });
  define("1+", "number", (x: LispValue) => add(x, 1));
  define("1-", "number", (x: LispValue) => sub(x, 1));
  define("SYS:TWO-ARG-+", "a b", (a: LispValue, b: LispValue) => charged(add(a, b)));
  define("SYS:TWO-ARG--", "a b", (a: LispValue, b: LispValue) => charged(sub(a, b)));
  define("SYS:TWO-ARG-*", "a b", (a: LispValue, b: LispValue) => product(mul(a, b)));
  define("SYS:TWO-ARG-/", "a b", (a: LispValue, b: LispValue) => product(div(a, b)));
};

/** Times by which a product or quotient of long integers takes longer than a sum. */
const PRODUCT_WEIGHT = 8;

const installIntegerFunctions: LeafInstaller = (define, host) => {
  const folded = (name: string, unit: Int, combine: (a: Int, b: Int) => Int): void =>
    define(name, "&rest integers", (...integers: LispValue[]) =>
      foldArguments<Int>(
        integers,
        0,
        unit,
        (total, x) => combine(total, requireInteger(x)),
        (x) => x,
      ),
    );
  folded("GCD", 0, gcdInt);
  folded("LCM", 1, lcmInt);
  define("ISQRT", "natural", (x: LispValue) => {
    if (!isInteger(x) || x < 0) return typeError(x, "UNSIGNED-BYTE");
    host.charge(PRODUCT_WEIGHT * stepsOf(x));
    return isqrtInt(x);
  });
};

const installComplexParts: LeafInstaller = (define) => {
  define("COMPLEX", "realpart &optional imagpart", (re: LispValue, im?: LispValue) => {
    const real = requireReal(re);
    if (im !== undefined) return makeComplex(real, requireReal(im));
    return isFloat(real) ? makeComplex(real, 0) : real;
  });
  define("REALPART", "number", (x: LispValue) => partsOf(requireNumber(x))[0]);
  define("IMAGPART", "number", (x: LispValue) => {
    const z = requireNumber(x);
    return isFloat(z) ? mul(0, z) : partsOf(z)[1];
  });
};

/** Arithmetic, comparisons, number predicates and complex parts. */
export const installArithmetic: LeafInstaller = (define, host) => {
  installComparisons(define, host);
  installPredicates(define, host);
  installOperations(define, host);
  installIntegerFunctions(define, host);
  installComplexParts(define, host);
};
