/**
 * Exact integers. A Lisp integer is a JavaScript `number` when it is a safe integer (never -0) and a `bigint` otherwise;
 * every function here takes and returns that normal form, called `Int`.
 */
import { bigMagnitudeBits, isMeasured, MAX_INTEGER_BITS, roughBits } from "./integer-size.ts";
import { divisionSteps, powerSteps, rootNow, rootSteps } from "./long-integers.ts";
import { longOperation } from "../data/long-work.ts";
import { integerTooLarge } from "./number-errors.ts";

/** A Lisp integer in normal form: a safe-integer `number`, or a `bigint` outside the safe range. */
export type Int = number | bigint;

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);
const MIN_SAFE = -MAX_SAFE;

/** Brings a bigint to normal form. */
export function normalize(b: bigint): Int {
  return b <= MAX_SAFE && b >= MIN_SAFE ? Number(b) : b;
}

/** True for a JavaScript value that is a Lisp integer. */
export function isInteger(x: unknown): x is Int {
  return typeof x === "number" || typeof x === "bigint";
}

/** INTEGER-LENGTH. */
export function integerLength(a: Int): number {
  if (typeof a === "number") {
    const m = a < 0 ? -a - 1 : a;
    if (m < 4_294_967_296) return m === 0 ? 0 : 32 - Math.clz32(m);
    return 64 - Math.clz32(m / 4_294_967_296);
  }
  return bigMagnitudeBits(a < 0n ? ~a : a);
}

function checkSize(b: bigint): bigint {
  if (roughBits(b) > MAX_INTEGER_BITS && integerLength(b) > MAX_INTEGER_BITS)
    integerTooLarge(integerLength(b));
  return b;
}

/** Normal form of a freshly computed bigint, refusing those above the size bound. */
function settle(b: bigint): Int {
  if (b <= MAX_SAFE && b >= MIN_SAFE) return Number(b);
  return isMeasured(b) ? checkSize(b) : b;
}

export function addInt(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") {
    const r = a + b;
    if (r <= Number.MAX_SAFE_INTEGER && r >= Number.MIN_SAFE_INTEGER) return r;
  }
  return settle(BigInt(a) + BigInt(b));
}

export function subInt(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") {
    const r = a - b;
    if (r <= Number.MAX_SAFE_INTEGER && r >= Number.MIN_SAFE_INTEGER) return r;
  }
  return settle(BigInt(a) - BigInt(b));
}

export function mulInt(a: Int, b: Int): Int {
  if (typeof a === "number") {
    if (typeof b === "number") {
      const r = a * b;
      // `+ 0` turns -0 into 0.
      if (r <= Number.MAX_SAFE_INTEGER && r >= Number.MIN_SAFE_INTEGER) return r + 0;
      return settle(BigInt(a) * BigInt(b));
    }
    return settle(BigInt(a) * b);
  }
  if (typeof b === "number") return settle(a * BigInt(b));
  if (isMeasured(a) || isMeasured(b)) {
    if (roughBits(a) + roughBits(b) > MAX_INTEGER_BITS) {
      const bits = integerLength(a) + integerLength(b) - 1;
      if (bits > MAX_INTEGER_BITS) integerTooLarge(bits);
    }
  }
  return settle(a * b);
}

export function negInt(a: Int): Int {
  return typeof a === "number" ? 0 - a : normalize(-a);
}

export function absInt(a: Int): Int {
  return signInt(a) < 0 ? negInt(a) : a;
}

/** -1, 0 or 1. */
export function signInt(a: Int): number {
  return a > 0 ? 1 : a < 0 ? -1 : 0;
}

/** Negative, zero or positive as a is less than, equal to or greater than b. */
export function compareInt(a: Int, b: Int): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A dividend of more bits is divided in steps, unless the divisor is shorter than 16 kbit. */
const LONG_DIVIDEND = 4_194_304;

export function isLongDivision(a: bigint, b: bigint): boolean {
  return isMeasured(a) && isMeasured(b) && roughBits(a) > LONG_DIVIDEND;
}

/** Quotient toward zero and remainder of a division that takes steps. */
function divideLong(a: bigint, b: bigint): readonly [quotient: bigint, remainder: bigint] {
  const [quotient, remainder] = longOperation(() => divisionSteps(a < 0n ? -a : a, b < 0n ? -b : b));
  return [a < 0n === b < 0n ? quotient : -quotient, a < 0n ? -remainder : remainder];
}

/** Quotient rounded toward zero; b is not zero. Goes through the remainder, which is exact where a/b rounds. */
export function quotInt(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") return (a - (a % b)) / b + 0;
  const [x, y] = [BigInt(a), BigInt(b)];
  return normalize(isLongDivision(x, y) ? divideLong(x, y)[0] : x / y);
}

/** Remainder with the sign of a; b is not zero. */
export function remInt(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") return (a % b) + 0;
  const [x, y] = [BigInt(a), BigInt(b)];
  return normalize(isLongDivision(x, y) ? divideLong(x, y)[1] : x % y);
}

/** Quotient toward zero and remainder; b is not zero. */
function truncateInt(a: Int, b: Int): [quotient: Int, remainder: Int] {
  if (typeof a === "number" && typeof b === "number") {
    const r = (a % b) + 0;
    return [(a - r) / b + 0, r];
  }
  const [x, y] = [BigInt(a), BigInt(b)];
  if (isLongDivision(x, y)) {
    const [quotient, remainder] = divideLong(x, y);
    return [normalize(quotient), normalize(remainder)];
  }
  const quotient = x / y;
  return [normalize(quotient), normalize(x - quotient * y)];
}

export type Rounding = "floor" | "ceiling" | "truncate" | "round";

/** Quotient and remainder under a rounding; b is not zero. `round` goes to even on a tie. */
export function divideInt(mode: Rounding, a: Int, b: Int): [quotient: Int, remainder: Int] {
  const [q, r] = truncateInt(a, b);
  if (r === 0) return [q, r];
  const sameSign = r < 0 === b < 0;
  if (mode === "truncate") return [q, r];
  if (mode === "floor") return sameSign ? [q, r] : [subInt(q, 1), addInt(r, b)];
  if (mode === "ceiling") return sameSign ? [addInt(q, 1), subInt(r, b)] : [q, r];
  const twice = compareInt(mulInt(absInt(r), 2), absInt(b));
  if (twice < 0 || (twice === 0 && !isOdd(q))) return [q, r];
  return sameSign ? [addInt(q, 1), subInt(r, b)] : [subInt(q, 1), addInt(r, b)];
}

export function isOdd(a: Int): boolean {
  return typeof a === "number" ? a % 2 !== 0 : (a & 1n) === 1n;
}

/** Powers of more bits are found in steps. */
const LONG_POWER = 2_097_152;

/** a raised to a non-negative integer power; refuses results above the size bound before computing them. */
export function exptInt(a: Int, n: Int): Int {
  if (a === 1 || n === 0) return 1;
  if (a === 0) return 0;
  if (a === -1) return isOdd(n) ? -1 : 1;
  if (typeof n === "bigint") return integerTooLarge(Number(n));
  const length = integerLength(absInt(a));
  if ((length - 1) * n > MAX_INTEGER_BITS) integerTooLarge((length - 1) * n);
  if (typeof a === "number") {
    const r = a ** n;
    // A double power is exact only while every partial product is safe, which a safe result implies.
    if (Number.isSafeInteger(r) && length * n <= 53) return r;
  }
  const base = BigInt(a);
  return settle(length * n > LONG_POWER ? longOperation(() => powerSteps(base, n)) : base ** BigInt(n));
}

/** Roots of integers of more bits are found in steps. */
const LONG_ROOT = 2_097_152;

/** Largest integer whose square is at most a; a is not negative. */
export function isqrtInt(a: Int): Int {
  if (typeof a === "number") {
    let r = Math.floor(Math.sqrt(a));
    while (r * r > a) r--;
    while ((r + 1) * (r + 1) <= a) r++;
    return r;
  }
  return normalize(
    isMeasured(a) && roughBits(a) > LONG_ROOT ? longOperation(() => rootSteps(a)) : rootNow(a),
  );
}
