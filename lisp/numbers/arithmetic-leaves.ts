/** Registers arithmetic, comparison and number predicates (chapter 12 of the standard) as leaves. */
import type { LeafInstaller } from "../data/leaf.ts";
import { Complex, Ratio } from "../data/number.ts";
import { bool } from "../data/symbol.ts";
import { inShares } from "../data/unfinished.ts";
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
import {
  compareInt,
  gcdInt,
  gcdSteps,
  type Int,
  isInteger,
  isLongGcd,
  isOdd,
  isqrtInt,
  lcmInt,
  negInt,
  quotInt,
  stepsOf,
} from "./integers.ts";
import { typeError } from "./number-errors.ts";
import { requireNumber, requireReal } from "./transcendental.ts";

/** Argument as an integer, or a type error. */
export function requireInteger(x: unknown): Int {
  return isInteger(x) ? x : typeError(x, "INTEGER");
}

type Comparison = (order: number) => boolean;

/** N-ary comparison; every argument is checked even after the answer is known. */
function chain(holds: Comparison): (first: LispValue, ...rest: LispValue[]) => LispValue {
  return (first, ...rest) => {
    let result = true;
    let previous: LispValue = requireReal(first);
    for (const next of rest) {
      if (!holds(compareReal(previous, next))) result = false;
      previous = next;
    }
    return bool(result);
  };
}

function allDifferent(numbers: readonly LispValue[]): boolean {
  let result = true;
  for (const [i, a] of numbers.entries()) {
    requireNumber(a);
    for (let j = 0; j < i; j++) if (numbersEqual(numbers[j], a)) result = false;
  }
  return result;
}

function extreme(better: Comparison): (first: LispValue, ...rest: LispValue[]) => LispValue {
  return (first, ...rest) => {
    let best: Real = requireReal(first);
    for (const next of rest) if (better(compareReal(next, best))) best = next as Real;
    return best;
  };
}

const installComparisons: LeafInstaller = (define) => {
  define("=", "number &rest numbers", (first: LispValue, ...rest: LispValue[]) => {
    requireNumber(first);
    let result = true;
    for (const next of rest) if (!numbersEqual(first, next)) result = false;
    return bool(result);
  });
  define("/=", "number &rest numbers", (...numbers: LispValue[]) => bool(allDifferent(numbers)));
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
  // Two arguments are by far the most frequent; they come without an array.
  define("+", "&rest numbers", function plus(a?: LispValue, b?: LispValue): LispValue {
    if (arguments.length === 2) return charged(add(a, b));
    if (a === undefined) return 0;
    let total: LispValue = requireNumber(a);
    for (let i = 1; i < arguments.length; i++) total = add(total, arguments[i]);
    return charged(total);
  });
  define("*", "&rest numbers", function times(a?: LispValue, b?: LispValue): LispValue {
    if (arguments.length === 2) return charged(mul(a, b));
    if (a === undefined) return 1;
    let total: LispValue = requireNumber(a);
    for (let i = 1; i < arguments.length; i++) total = mul(total, arguments[i]);
    return charged(total);
  });
  define("-", "number &rest numbers", function minus(a: LispValue, b?: LispValue): LispValue {
    if (b === undefined) return negate(a);
    let total: LispValue = sub(a, b);
    for (let i = 2; i < arguments.length; i++) total = sub(total, arguments[i]);
    return charged(total);
  });
  define("/", "number &rest numbers", (first: LispValue, ...rest: LispValue[]) => {
    if (rest.length === 0) return div(1, first);
    if (rest.length === 1) return divide(first, rest[0]!);
    let total: LispValue = first;
    for (const x of rest) total = div(total, x);
    host.charge(stepsOf(first));
    return total;
  });
  const divide = (a: LispValue, b: LispValue): LispValue => {
    host.charge(stepsOf(a));
    return isLongGcd(a, b) ? inShares(quotientSteps(a as bigint, b as bigint)) : div(a, b);
  };
  define("1+", "number", (x: LispValue) => add(x, 1));
  define("1-", "number", (x: LispValue) => sub(x, 1));
  define("SYS:TWO-ARG-+", "a b", (a: LispValue, b: LispValue) => charged(add(a, b)));
  define("SYS:TWO-ARG--", "a b", (a: LispValue, b: LispValue) => charged(sub(a, b)));
  define("SYS:TWO-ARG-*", "a b", (a: LispValue, b: LispValue) => charged(mul(a, b)));
  define("SYS:TWO-ARG-/", "a b", divide);
};

/** The quotient of two long integers; finds their greatest common divisor in shares. */
function* quotientSteps(a: bigint, b: bigint): Generator<void, LispValue> {
  const divisor = yield* gcdSteps(a, b);
  const [num, den] = [quotInt(a, divisor), quotInt(b, divisor)];
  if (den === 1) return num;
  if (den === -1) return negInt(num);
  return compareInt(den, 0) < 0 ? new Ratio(negInt(num), negInt(den)) : new Ratio(num, den);
}

const installIntegerFunctions: LeafInstaller = (define, host) => {
  define("GCD", "&rest integers", (...integers: LispValue[]) => {
    if (integers.length === 2 && isLongGcd(integers[0], integers[1])) {
      return inShares(gcdSteps(integers[0] as bigint, integers[1] as bigint));
    }
    let result: Int = 0;
    for (const x of integers) result = gcdInt(result, requireInteger(x));
    return result;
  });
  define("LCM", "&rest integers", (...integers: LispValue[]) => {
    let result: Int = 1;
    for (const x of integers) result = lcmInt(result, requireInteger(x));
    return result;
  });
  define("ISQRT", "natural", (x: LispValue) => {
    if (!isInteger(x) || x < 0) return typeError(x, "UNSIGNED-BYTE");
    host.charge(4 * stepsOf(x));
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
