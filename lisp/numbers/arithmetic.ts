/** Generic addition, subtraction, multiplication, division and comparison over the whole tower, with contagion and traps. */
import { Complex, DoubleFloat, Ratio, SingleFloat } from "../data/number.ts";
import { dividePair, type Pair } from "./complex-functions.ts";
import {
  DOUBLE,
  exactRational,
  type FloatFormat,
  integerToFloat,
  ratioToFloat,
  SINGLE,
} from "./float-bits.ts";
import {
  addRational,
  denominatorOf,
  divRational,
  mulRational,
  numeratorOf,
  type Rational,
  subRational,
} from "./rationals.ts";
import { addInt, compareInt, mulInt, negInt, signInt, subInt } from "./integers.ts";
import { divisionByZero, floatInvalid, floatOverflow, typeError } from "./number-errors.ts";

export type Float = SingleFloat | DoubleFloat;
export type Real = Rational | Float;
export type LispNumber = Real | Complex;

/** Contagion order. */
const INTEGER = 0;
const RATIO = 1;
const SINGLE_RANK = 2;
export const DOUBLE_RANK = 3;
const COMPLEX = 4;

/** Place of a number in the contagion order, or -1 for anything else. */
function rankOrNone(x: unknown): number {
  if (typeof x === "number" || typeof x === "bigint") return INTEGER;
  if (x instanceof DoubleFloat) return DOUBLE_RANK;
  if (x instanceof SingleFloat) return SINGLE_RANK;
  if (x instanceof Ratio) return RATIO;
  return x instanceof Complex ? COMPLEX : -1;
}

/** Place of a number in the contagion order; anything else is a type error. */
export function rank(x: unknown): number {
  const r = rankOrNone(x);
  return r < 0 ? typeError(x, "NUMBER") : r;
}

export function isRational(x: unknown): x is Rational {
  return typeof x === "number" || typeof x === "bigint" || x instanceof Ratio;
}

export function isFloat(x: unknown): x is Float {
  return x instanceof DoubleFloat || x instanceof SingleFloat;
}

export function isReal(x: unknown): x is Real {
  return isRational(x) || isFloat(x);
}

export function isNumber(x: unknown): x is LispNumber {
  return rankOrNone(x) >= 0;
}

export function formatOf(x: Float): FloatFormat {
  return x instanceof DoubleFloat ? DOUBLE : SINGLE;
}

/** A float object of a format; a single is rounded. No trap: see `checkedFloat`. */
export function makeFloat(v: number, format: FloatFormat): Float {
  return format === DOUBLE ? new DoubleFloat(v) : new SingleFloat(Math.fround(v));
}

function operandIs(test: (v: number) => boolean, x: unknown): boolean {
  if (isFloat(x)) return test(x.v);
  return x instanceof Complex && (operandIs(test, x.re) || operandIs(test, x.im));
}

/**
 * A float result with the traps of overflow and invalid operation: infinities and NaN pass only if an operand was one.
 * `operation` and `operands` go into the condition.
 */
export function checkedFloat(
  v: number,
  format: FloatFormat,
  operation: string,
  ...operands: LispNumber[]
): Float {
  const rounded = format === DOUBLE ? v : Math.fround(v);
  if (rounded - rounded !== 0) trapUnlessQuiet(rounded, operation, operands);
  return format === DOUBLE ? new DoubleFloat(rounded) : new SingleFloat(rounded);
}

function trapUnlessQuiet(v: number, operation: string, operands: LispNumber[]): void {
  if (operands.some((x) => operandIs(Number.isNaN, x))) return;
  const infinite = operands.some((x) => operandIs((o) => o === Infinity || o === -Infinity, x));
  if (Number.isNaN(v)) floatInvalid(operation, operands);
  if (!infinite) floatOverflow(operation, operands);
}

/** A rational as float value of a format; overflow is trapped. */
export function realToFloat(x: Real, format: FloatFormat, operation = "FLOAT"): number {
  if (typeof x === "number") return format === DOUBLE ? x : Math.fround(x);
  if (x instanceof DoubleFloat) return format === DOUBLE ? x.v : checkedFloat(x.v, SINGLE, operation, x).v;
  if (x instanceof SingleFloat) return x.v;
  const v = x instanceof Ratio ? ratioToFloat(x.num, x.den, format) : integerToFloat(x, format);
  if (v === Infinity || v === -Infinity) floatOverflow(operation, [x]);
  return v;
}

/** Complex in normal form: parts of one kind, and a rational one with imaginary part 0 is its real part. */
export function makeComplex(re: Real, im: Real): LispNumber {
  const top = Math.max(rank(re), rank(im));
  if (top <= RATIO) return im === 0 ? re : new Complex(re, im);
  const format = top === DOUBLE_RANK ? DOUBLE : SINGLE;
  return new Complex(makeFloat(realToFloat(re, format), format), makeFloat(realToFloat(im, format), format));
}

/** The common float format of two reals of which at least one is a float. */
function commonFormat(ra: number, rb: number): FloatFormat {
  return ra === DOUBLE_RANK || rb === DOUBLE_RANK ? DOUBLE : SINGLE;
}

/** Value of an operand for double arithmetic, when it is at hand without rounding. */
function doubleOperand(x: unknown): number | undefined {
  if (x instanceof DoubleFloat) return x.v;
  if (typeof x === "number") return x;
  return x instanceof SingleFloat ? x.v : undefined;
}

/** Value of an operand for single arithmetic, when it is at hand. */
function singleOperand(x: unknown): number | undefined {
  if (x instanceof SingleFloat) return x.v;
  return typeof x === "number" ? Math.fround(x) : undefined;
}

function doubleResult(v: number, operation: string, a: unknown, b: unknown): DoubleFloat {
  if (v - v !== 0) trapUnlessQuiet(v, operation, [a as LispNumber, b as LispNumber]);
  return new DoubleFloat(v);
}

function singleResult(v: number, operation: string, a: unknown, b: unknown): SingleFloat {
  const result = new SingleFloat(v);
  if (result.v - result.v !== 0) trapUnlessQuiet(result.v, operation, [a as LispNumber, b as LispNumber]);
  return result;
}

/** How one operation works on each kind of operands. */
interface Operation {
  readonly name: string;
  readonly complex: (a: LispNumber, b: LispNumber) => LispNumber;
  readonly rational: (a: Rational, b: Rational) => Rational;
  readonly float: (x: number, y: number) => number;
}

/** Any operands, after the quick cases. */
function operate(operation: Operation, a: unknown, b: unknown): LispNumber {
  const ra = rank(a);
  const rb = rank(b);
  if (ra === COMPLEX || rb === COMPLEX) return operation.complex(a as LispNumber, b as LispNumber);
  if (ra <= RATIO && rb <= RATIO) return operation.rational(a as Rational, b as Rational);
  const format = commonFormat(ra, rb);
  const { name } = operation;
  const v = operation.float(realToFloat(a as Real, format, name), realToFloat(b as Real, format, name));
  return checkedFloat(v, format, name, a as Real, b as Real);
}

const ADDITION: Operation = { name: "+", complex: addComplex, rational: addRational, float: (x, y) => x + y };
const SUBTRACTION: Operation = {
  name: "-",
  complex: subComplex,
  rational: subRational,
  float: (x, y) => x - y,
};
const MULTIPLICATION: Operation = {
  name: "*",
  complex: mulComplex,
  rational: mulRational,
  float: (x, y) => x * y,
};

/** `+` of two numbers. */
export function add(a: unknown, b: unknown): LispNumber {
  if (typeof a === "number" && typeof b === "number") return addInt(a, b);
  if (a instanceof DoubleFloat && b instanceof DoubleFloat) return doubleResult(a.v + b.v, "+", a, b);
  if (a instanceof DoubleFloat || b instanceof DoubleFloat) {
    const x = doubleOperand(a);
    const y = doubleOperand(b);
    if (x !== undefined && y !== undefined) return doubleResult(x + y, "+", a, b);
  } else if (a instanceof SingleFloat || b instanceof SingleFloat) {
    const x = singleOperand(a);
    const y = singleOperand(b);
    if (x !== undefined && y !== undefined) return singleResult(x + y, "+", a, b);
  }
  return operate(ADDITION, a, b);
}

/** `-` of two numbers. */
export function sub(a: unknown, b: unknown): LispNumber {
  if (typeof a === "number" && typeof b === "number") return subInt(a, b);
  if (a instanceof DoubleFloat && b instanceof DoubleFloat) return doubleResult(a.v - b.v, "-", a, b);
  if (a instanceof DoubleFloat || b instanceof DoubleFloat) {
    const x = doubleOperand(a);
    const y = doubleOperand(b);
    if (x !== undefined && y !== undefined) return doubleResult(x - y, "-", a, b);
  } else if (a instanceof SingleFloat || b instanceof SingleFloat) {
    const x = singleOperand(a);
    const y = singleOperand(b);
    if (x !== undefined && y !== undefined) return singleResult(x - y, "-", a, b);
  }
  return operate(SUBTRACTION, a, b);
}

/** `*` of two numbers. */
export function mul(a: unknown, b: unknown): LispNumber {
  if (typeof a === "number" && typeof b === "number") return mulInt(a, b);
  if (a instanceof DoubleFloat && b instanceof DoubleFloat) return doubleResult(a.v * b.v, "*", a, b);
  if (a instanceof DoubleFloat || b instanceof DoubleFloat) {
    const x = doubleOperand(a);
    const y = doubleOperand(b);
    if (x !== undefined && y !== undefined) return doubleResult(x * y, "*", a, b);
  } else if (a instanceof SingleFloat || b instanceof SingleFloat) {
    const x = singleOperand(a);
    const y = singleOperand(b);
    if (x !== undefined && y !== undefined) return singleResult(x * y, "*", a, b);
  }
  return operate(MULTIPLICATION, a, b);
}

/** `/` of two numbers. */
export function div(a: unknown, b: unknown): LispNumber {
  if (typeof a === "number" && typeof b === "number" && b !== 0 && a % b === 0) return a / b + 0;
  if (a instanceof DoubleFloat || b instanceof DoubleFloat) {
    const x = doubleOperand(a);
    const y = doubleOperand(b);
    if (x !== undefined && y !== undefined && y !== 0) return doubleResult(x / y, "/", a, b);
  } else if (a instanceof SingleFloat || b instanceof SingleFloat) {
    const x = singleOperand(a);
    const y = singleOperand(b);
    if (x !== undefined && y !== undefined && y !== 0) return singleResult(x / y, "/", a, b);
  }
  const ra = rank(a);
  const rb = rank(b);
  if (ra === COMPLEX || rb === COMPLEX) return divComplex(a as LispNumber, b as LispNumber);
  if (ra <= RATIO && rb <= RATIO) return divRational(a as Rational, b as Rational);
  const format = commonFormat(ra, rb);
  const x = realToFloat(a as Real, format, "/");
  const y = realToFloat(b as Real, format, "/");
  if (y === 0 && x !== 0 && x - x === 0) divisionByZero("/", [a, b]);
  return checkedFloat(x / y, format, "/", a as Real, b as Real);
}

/** Real and imaginary part; a real has imaginary part 0. */
export function partsOf(x: LispNumber): [re: Real, im: Real] {
  return x instanceof Complex ? [x.re as Real, x.im as Real] : [x, 0];
}

function addComplex(a: LispNumber, b: LispNumber): LispNumber {
  const [ar, ai] = partsOf(a);
  const [br, bi] = partsOf(b);
  const im = b instanceof Complex ? (a instanceof Complex ? add(ai, bi) : bi) : ai;
  return makeComplex(add(ar, br) as Real, im as Real);
}

function subComplex(a: LispNumber, b: LispNumber): LispNumber {
  const [ar, ai] = partsOf(a);
  const [br, bi] = partsOf(b);
  const im = b instanceof Complex ? (a instanceof Complex ? sub(ai, bi) : negate(bi)) : ai;
  return makeComplex(sub(ar, br) as Real, im as Real);
}

function mulComplex(a: LispNumber, b: LispNumber): LispNumber {
  const [ar, ai] = partsOf(a);
  const [br, bi] = partsOf(b);
  if (!(a instanceof Complex)) return makeComplex(mul(a, br) as Real, mul(a, bi) as Real);
  if (!(b instanceof Complex)) return makeComplex(mul(ar, b) as Real, mul(ai, b) as Real);
  return makeComplex(sub(mul(ar, br), mul(ai, bi)) as Real, add(mul(ar, bi), mul(ai, br)) as Real);
}

function divComplex(a: LispNumber, b: LispNumber): LispNumber {
  const [re, im] = partsOf(a);
  if (!(b instanceof Complex)) return makeComplex(div(re, b) as Real, div(im, b) as Real);
  const [br, bi] = partsOf(b);
  if (isFloat(br) || isFloat(re)) return divFloatComplex(re, im, br, bi);
  const norm = add(mul(br, br), mul(bi, bi));
  const real = div(add(mul(re, br), mul(im, bi)), norm) as Real;
  return makeComplex(real, div(sub(mul(im, br), mul(re, bi)), norm) as Real);
}

function divFloatComplex(re: Real, im: Real, br: Real, bi: Real): LispNumber {
  const format = [re, im, br, bi].some((x) => x instanceof DoubleFloat) ? DOUBLE : SINGLE;
  const toDouble = (x: Real): number => (isFloat(x) ? x.v : realToFloat(x, DOUBLE, "/"));
  const divisor: Pair = [toDouble(br), toDouble(bi)];
  if (divisor[0] === 0 && divisor[1] === 0)
    return divisionByZero("/", [makeComplex(re, im), makeComplex(br, bi)]);
  const [x, y] = dividePair([toDouble(re), toDouble(im)], divisor);
  return new Complex(
    checkedFloat(x, format, "/", re, im, br, bi),
    checkedFloat(y, format, "/", re, im, br, bi),
  );
}

/** Unary `-`. */
export function negate(a: unknown): LispNumber {
  if (typeof a === "number") return 0 - a;
  if (a instanceof DoubleFloat) return new DoubleFloat(-a.v);
  if (a instanceof SingleFloat) return new SingleFloat(-a.v);
  if (typeof a === "bigint") return negInt(a);
  if (a instanceof Ratio) return new Ratio(negInt(a.num), a.den);
  if (a instanceof Complex) return new Complex(negate(a.re), negate(a.im));
  return typeError(a, "NUMBER");
}

export function absReal(a: Real): Real {
  if (isFloat(a)) return makeFloat(Math.abs(a.v), formatOf(a));
  return signReal(a) < 0 ? (negate(a) as Real) : a;
}

/** -1, 0 or 1 by the value of a real; NaN counts as 0. */
export function signReal(a: Real): number {
  if (a instanceof Ratio) return signInt(a.num);
  const v = isFloat(a) ? a.v : a;
  return v > 0 ? 1 : v < 0 ? -1 : 0;
}

function requireReal(x: unknown): Real {
  return isReal(x) ? x : typeError(x, "REAL");
}

/** Exact comparison of two reals: negative, zero, positive; NaN if an operand is NaN. Other operands are type errors. */
export function compareReal(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  const p = doubleOperand(a);
  const q = doubleOperand(b);
  if (p !== undefined && q !== undefined) return p < q ? -1 : p > q ? 1 : p === q ? 0 : Number.NaN;
  const x = requireReal(a);
  const y = requireReal(b);
  if (!(x instanceof Ratio) && !(y instanceof Ratio)) {
    // Mixed comparisons of number and bigint are exact in JavaScript, and safe integers are exact as doubles.
    const v = isFloat(x) ? x.v : x;
    const w = isFloat(y) ? y.v : y;
    return v < w ? -1 : v > w ? 1 : v == w ? 0 : Number.NaN;
  }
  return compareWithRatio(x, y);
}

function compareWithRatio(x: Real, y: Real): number {
  if (isFloat(x) && x.v - x.v !== 0) return x.v > 0 ? 1 : x.v < 0 ? -1 : Number.NaN;
  if (isFloat(y) && y.v - y.v !== 0) return y.v > 0 ? -1 : y.v < 0 ? 1 : Number.NaN;
  const [xn, xd] = isFloat(x) ? exactRational(x.v, formatOf(x)) : [numeratorOf(x), denominatorOf(x)];
  const [yn, yd] = isFloat(y) ? exactRational(y.v, formatOf(y)) : [numeratorOf(y), denominatorOf(y)];
  return compareInt(mulInt(xn, yd), mulInt(yn, xd));
}

/** `=` of two numbers. */
export function numbersEqual(a: unknown, b: unknown): boolean {
  if (typeof a === "number" && typeof b === "number") return a === b;
  if (a instanceof Complex || b instanceof Complex) {
    const [ar, ai] = partsOf(requireNumber(a));
    const [br, bi] = partsOf(requireNumber(b));
    return compareReal(ar, br) === 0 && compareReal(ai, bi) === 0;
  }
  return compareReal(requireNumber(a), requireNumber(b)) === 0;
}

function requireNumber(x: unknown): LispNumber {
  rank(x);
  return x as LispNumber;
}
