/**
 * Exact integers. A Lisp integer is a JavaScript `number` when it is a safe integer (never -0) and a `bigint` otherwise;
 * every function here takes and returns that normal form, called `Int`.
 */
import { integerTooLarge } from "./number-errors.ts";

/** A Lisp integer in normal form: a safe-integer `number`, or a `bigint` outside the safe range. */
export type Int = number | bigint;

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);
const MIN_SAFE = -MAX_SAFE;

/** Integers may have at most this many bits (64 Mbit). A larger result signals a storage condition. */
export const MAX_INTEGER_BITS = 67_108_864;

/** Brings a bigint to normal form. */
export function normalize(b: bigint): Int {
  return b <= MAX_SAFE && b >= MIN_SAFE ? Number(b) : b;
}

/** True for a JavaScript value that is a Lisp integer. */
export function isInteger(x: unknown): x is Int {
  return typeof x === "number" || typeof x === "bigint";
}

/** powersOfTwo[k] = 2^(2^k): comparing bigints of different lengths is O(1), so these bracket a size cheaply. */
const powersOfTwo: bigint[] = [];

function twoToTwoTo(k: number): bigint {
  for (let i = powersOfTwo.length; i <= k; i++) powersOfTwo.push(1n << (1n << BigInt(i)));
  return powersOfTwo[k] as bigint;
}

/** Number of bits of the magnitude of a non-negative bigint, exact. */
function bigMagnitudeBits(m: bigint): number {
  let k = 0;
  while (k < 26 && m >= twoToTwoTo(k)) k++;
  if (k === 0) return m === 0n ? 0 : 1;
  let bits = 0;
  let rest = m;
  for (let j = k - 1; j >= 6; j--) {
    if (rest >= twoToTwoTo(j)) {
      const size = 1 << j;
      bits += size;
      rest >>= BigInt(size);
    }
  }
  return bits + rest.toString(2).length - (rest === 0n ? 1 : 0);
}

/** An upper bound of the bits of `b` within a factor of two, in constant time. */
function roughBits(b: bigint): number {
  const m = b < 0n ? -b : b;
  let k = 6;
  while (k < 27 && m >= twoToTwoTo(k)) k++;
  return 2 ** k;
}

/**
 * What making or reading an integer counts for in steps of evaluation: nothing for the usual ones, and for long ones in
 * proportion to their length, so that a loop over long integers is interrupted in time.
 */
export function stepsOf(a: unknown): number {
  return typeof a === "bigint" && (a >= CHECK_HIGH || a <= CHECK_LOW) ? Math.ceil(roughBits(a) / 4096) : 0;
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

const CHECK_HIGH = 1n << 16384n;
const CHECK_LOW = -CHECK_HIGH;

/** Normal form of a freshly computed bigint, refusing those above the size bound. */
function settle(b: bigint): Int {
  if (b <= MAX_SAFE && b >= MIN_SAFE) return Number(b);
  return b < CHECK_HIGH && b > CHECK_LOW ? b : checkSize(b);
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
  if (a >= CHECK_HIGH || a <= CHECK_LOW || b >= CHECK_HIGH || b <= CHECK_LOW) {
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

function absInt(a: Int): Int {
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

/** Quotient rounded toward zero; b is not zero. Goes through the remainder, which is exact where a/b rounds. */
export function quotInt(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") return (a - (a % b)) / b + 0;
  return normalize(BigInt(a) / BigInt(b));
}

/** Remainder with the sign of a; b is not zero. */
export function remInt(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") return (a % b) + 0;
  return normalize(BigInt(a) % BigInt(b));
}

export type Rounding = "floor" | "ceiling" | "truncate" | "round";

/** Quotient and remainder under a rounding; b is not zero. `round` goes to even on a tie. */
export function divideInt(mode: Rounding, a: Int, b: Int): [quotient: Int, remainder: Int] {
  const r = remInt(a, b);
  const q =
    typeof a === "number" && typeof b === "number" && typeof r === "number" ? (a - r) / b + 0 : quotInt(a, b);
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
  return settle(BigInt(a) ** BigInt(n));
}

/** Largest integer whose square is at most a; a is not negative. */
export function isqrtInt(a: Int): Int {
  if (typeof a === "number") {
    let r = Math.floor(Math.sqrt(a));
    while (r * r > a) r--;
    while ((r + 1) * (r + 1) <= a) r++;
    return r;
  }
  return normalize(bigIsqrt(a));
}

/** Zimmermann's recursive square root: one half-size root and one division a level. */
function bigIsqrt(a: bigint): bigint {
  const bits = bigMagnitudeBits(a);
  if (bits <= 100) {
    let x = BigInt(Math.floor(Math.sqrt(Number(a))));
    for (let i = 0; i < 2; i++) x = (x + a / x) >> 1n;
    while (x * x > a) x--;
    while ((x + 1n) * (x + 1n) <= a) x++;
    return x;
  }
  const half = BigInt(Math.floor((bits - 2) / 4));
  const estimate = (bigIsqrt(a >> (2n * half)) + 1n) << half;
  let x = (estimate + a / estimate) >> 1n;
  while (x * x > a) x = (x + a / x) >> 1n;
  while ((x + 1n) * (x + 1n) <= a) x++;
  return x;
}

/** Greatest common divisor, never negative. */
export function gcdInt(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") return gcdSafe(Math.abs(a), Math.abs(b));
  const steps = gcdSteps(a, b);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Steps (see `stepsOf`) of a greatest common divisor between two yields. */
const GCD_SHARE = 50_000;

/** Finds the greatest common divisor, yielding after each share of the work. */
export function* gcdSteps(a: Int, b: Int): Generator<void, Int> {
  let x = absInt(a);
  let y = absInt(b);
  let done = 0;
  while (typeof x === "bigint" || typeof y === "bigint") {
    if (y === 0) return x;
    if (typeof x === "bigint" && typeof y === "bigint" && (x > LEHMER_MIN || y > LEHMER_MIN)) {
      [x, y] = lehmerStep(x, y);
      done += stepsOf(x);
      if (done > GCD_SHARE) {
        done = 0;
        yield;
      }
      continue;
    }
    const r = remInt(x, y);
    x = y;
    y = r;
  }
  return gcdSafe(x, y);
}

/** Bits from which on two integers are worth finding their divisor in shares. */
const LONG_GCD = 1n << 65_536n;

/** True when finding the greatest common divisor of two integers takes long. */
export function isLongGcd(a: unknown, b: unknown): boolean {
  const long = (x: unknown): boolean => typeof x === "bigint" && (x > LONG_GCD || x < -LONG_GCD);
  return long(a) && long(b);
}

function gcdSafe(a: number, b: number): number {
  let x = a;
  let y = b;
  while (y !== 0) {
    const r = x % y;
    x = y;
    y = r;
  }
  return x;
}

const LEHMER_MIN = 1n << 512n;

/** One Lehmer step: runs Euclid on the leading 50 bits and applies the accumulated 2x2 matrix to the big numbers. */
function lehmerStep(p: bigint, q: bigint): [Int, Int] {
  let x = p;
  let y = q;
  if (x < y) [x, y] = [y, x];
  const shift = BigInt(bigMagnitudeBits(x) - 50);
  let xh = Number(x >> shift);
  let yh = Number(y >> shift);
  let a = 1;
  let b = 0;
  let c = 0;
  let d = 1;
  while (yh + c > 0 && yh + d > 0) {
    const quotient = Math.floor((xh + a) / (yh + c));
    if (quotient !== Math.floor((xh + b) / (yh + d))) break;
    const na = a - quotient * c;
    const nb = b - quotient * d;
    if (
      Math.abs(na) > 33_554_432 ||
      Math.abs(nb) > 33_554_432 ||
      Math.abs(c) > 33_554_432 ||
      Math.abs(d) > 33_554_432
    )
      break;
    [a, c] = [c, na];
    [b, d] = [d, nb];
    [xh, yh] = [yh, xh - quotient * yh];
  }
  if (b === 0) return [normalize(y), normalize(x % y)];
  const nx = BigInt(a) * x + BigInt(b) * y;
  const ny = BigInt(c) * x + BigInt(d) * y;
  return [normalize(nx), normalize(ny)];
}

/** Least common multiple, never negative. */
export function lcmInt(a: Int, b: Int): Int {
  if (a === 0 || b === 0) return 0;
  return absInt(mulInt(quotInt(a, gcdInt(a, b)), b));
}
