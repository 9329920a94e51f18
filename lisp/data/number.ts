import type { LispValue } from "./value.ts";

/** Base of the numbers that are objects, so that one test tells them from everything else. */
export abstract class BoxedNumber {
  /** Numbers are immutable, so EQL ones are interchangeable. */
  get immutable(): true {
    return true;
  }
}

/** A ratio in lowest terms; the denominator is at least 2. Build it with the arithmetic of `lisp/numbers`. */
export class Ratio extends BoxedNumber {
  readonly num: number | bigint;
  readonly den: number | bigint;
  constructor(num: number | bigint, den: number | bigint) {
    super();
    this.num = num;
    this.den = den;
  }
}

/** A double-float (long-float is the same type). */
export class DoubleFloat extends BoxedNumber {
  readonly v: number;
  constructor(v: number) {
    super();
    this.v = v;
  }
}

/** A single-float (short-float is the same type); `v` is always `Math.fround(v)`. */
export class SingleFloat extends BoxedNumber {
  readonly v: number;
  constructor(v: number) {
    super();
    this.v = Math.fround(v);
  }
}

/** A complex number: both parts rational and `im` not 0, or both floats of one format. */
export class Complex extends BoxedNumber {
  readonly re: LispValue;
  readonly im: LispValue;
  constructor(re: LispValue, im: LispValue) {
    super();
    this.re = re;
    this.im = im;
  }
}

/** The Lisp integer of a JavaScript bigint: a number when it is a safe integer. */
export function normalizeBigint(value: bigint): number | bigint {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}

/** EQL of two values that are not identical: true only for equal numbers of one type. */
export function eqlNumbers(a: LispValue, b: LispValue): boolean {
  if (typeof a === "bigint") return a === b;
  if (!(a instanceof BoxedNumber)) return false;
  if (a instanceof DoubleFloat) return b instanceof DoubleFloat && Object.is(a.v, b.v);
  if (a instanceof SingleFloat) return b instanceof SingleFloat && Object.is(a.v, b.v);
  if (a instanceof Ratio) return b instanceof Ratio && a.num === b.num && a.den === b.den;
  if (a instanceof Complex) {
    return (
      b instanceof Complex &&
      (a.re === b.re || eqlNumbers(a.re, b.re)) &&
      (a.im === b.im || eqlNumbers(a.im, b.im))
    );
  }
  return false;
}
