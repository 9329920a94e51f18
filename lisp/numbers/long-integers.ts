/**
 * Division, roots and powers of long integers, in steps of less than about 100 ms: generators that yield after each. JavaScript's
 * own operations on them cannot be interrupted. Only non-negative integers here; the callers know about signs.
 */
import { bigMagnitudeBits } from "./integer-size.ts";

/** Quotient and remainder. */
export type Division = readonly [quotient: bigint, remainder: bigint];

/** Bits of a quotient, and of the divisor, that one step works on unless told otherwise (tests do). */
const STEP_BITS = 1_572_864;
/** Bits that a shortened divisor has beyond the quotient's, so that the quotient found is too large by one at most. */
const GUARD_BITS = 64;

const low = (value: bigint, bits: number): bigint => BigInt.asUintN(bits, value);

/** Divides in place. */
function divideNow(a: bigint, b: bigint): Division {
  const quotient = a / b;
  return [quotient, a - quotient * b];
}

/** Quotient and remainder of two natural numbers; b is not zero. */
export function* divisionSteps(a: bigint, b: bigint, step = STEP_BITS): Generator<void, Division> {
  const bits = bigMagnitudeBits(b);
  const quotientBits = bigMagnitudeBits(a) - bits + 1;
  if (quotientBits <= 0) return [0n, a];
  if (bits <= step) return yield* divideByShort(a, b, quotientBits, step);
  if (quotientBits + GUARD_BITS < bits)
    return yield* divideLeading(a, b, bits - quotientBits - GUARD_BITS, step);
  // The recursion halves the divisor's length down to that of one step.
  let halvings = 0;
  while (bits / 2 ** halvings > step) halvings++;
  const unit = 2 ** halvings;
  const length = Math.ceil(bits / unit) * unit;
  const shift = BigInt(length - bits);
  const [quotient, remainder] = yield* divideByBlocks(a << shift, b << shift, length, step);
  return [quotient, remainder >> shift];
}

/** Long division with digits of many bits. */
function* divideByShort(a: bigint, b: bigint, quotientBits: number, step: number): Generator<void, Division> {
  const places = Math.max(0, Math.ceil(quotientBits / step) - 1);
  let [quotient, rest] = divideNow(a >> BigInt(places * step), b);
  for (let place = places - 1; place >= 0; place--) {
    yield;
    const digit = low(a >> BigInt(place * step), step);
    const [q, r] = divideNow((rest << BigInt(step)) | digit, b);
    quotient = (quotient << BigInt(step)) | q;
    rest = r;
  }
  return [quotient, rest];
}

/** A quotient much shorter than the divisor: the leading bits of both tell it, too large by one at most. */
function* divideLeading(a: bigint, b: bigint, dropped: number, step: number): Generator<void, Division> {
  const shift = BigInt(dropped);
  let [quotient] = yield* divisionSteps(a >> shift, b >> shift, step);
  yield;
  let remainder = a - quotient * b;
  while (remainder < 0n) {
    quotient--;
    remainder += b;
  }
  return [quotient, remainder];
}

/** Long division with digits as long as the divisor, whose highest bit is bit `length` - 1. */
function* divideByBlocks(a: bigint, b: bigint, length: number, step: number): Generator<void, Division> {
  const places = Math.ceil(bigMagnitudeBits(a) / length);
  let quotient = 0n;
  let rest = 0n;
  for (let place = places - 1; place >= 0; place--) {
    const digit = low(a >> BigInt(place * length), length);
    const [q, r] = yield* divideTwoByOne((rest << BigInt(length)) | digit, b, length, step);
    quotient = (quotient << BigInt(length)) | q;
    rest = r;
  }
  return [quotient, rest];
}

/** Burnikel and Ziegler: a quotient of `length` bits by a divisor of as many, by two of half the length. */
function* divideTwoByOne(a: bigint, b: bigint, length: number, step: number): Generator<void, Division> {
  if (length <= step) {
    yield;
    return divideNow(a, b);
  }
  const half = length / 2;
  const [high, rest] = yield* divideThreeByTwo(a >> BigInt(half), b, half, step);
  const [lower, remainder] = yield* divideThreeByTwo((rest << BigInt(half)) | low(a, half), b, half, step);
  return [(high << BigInt(half)) | lower, remainder];
}

/** Three halves by two: the leading two by the leading one, corrected by what the other half of the divisor adds. */
function* divideThreeByTwo(a: bigint, b: bigint, half: number, step: number): Generator<void, Division> {
  const shift = BigInt(half);
  const leading = b >> shift;
  const top = a >> shift;
  let quotient = (1n << shift) - 1n;
  let rest = top - quotient * leading;
  if (top >> shift < leading) [quotient, rest] = yield* divideTwoByOne(top, leading, half, step);
  let remainder = ((rest << shift) | low(a, half)) - quotient * low(b, half);
  yield;
  while (remainder < 0n) {
    quotient--;
    remainder += b;
  }
  return [quotient, remainder];
}

/** The root of a natural number by itself: Zimmermann's recursion, one half-size root and one division a level. */
export function rootNow(a: bigint): bigint {
  const bits = bigMagnitudeBits(a);
  if (bits <= 100) {
    let x = BigInt(Math.floor(Math.sqrt(Number(a))));
    for (let i = 0; i < 2 && x > 0n; i++) x = (x + a / x) >> 1n;
    while (x * x > a) x--;
    while ((x + 1n) * (x + 1n) <= a) x++;
    return x;
  }
  const half = BigInt(Math.floor((bits - 2) / 4));
  const estimate = (rootNow(a >> (2n * half)) + 1n) << half;
  let x = (estimate + a / estimate) >> 1n;
  while (x * x > a) x = (x + a / x) >> 1n;
  while ((x + 1n) * (x + 1n) <= a) x++;
  return x;
}

/** The same in steps. */
export function* rootSteps(a: bigint, step = STEP_BITS): Generator<void, bigint> {
  const bits = bigMagnitudeBits(a);
  if (bits <= step) return rootNow(a);
  const half = BigInt(Math.floor((bits - 2) / 4));
  const estimate = ((yield* rootSteps(a >> (2n * half), step)) + 1n) << half;
  let x = estimate;
  do {
    const [quotient] = yield* divisionSteps(a, x, step);
    x = (x + quotient) >> 1n;
    yield;
  } while (x * x > a);
  while ((x + 1n) * (x + 1n) <= a) x++;
  return x;
}

/** base to a positive power, by squaring. */
export function* powerSteps(base: bigint, power: number): Generator<void, bigint> {
  let result = base;
  for (let bit = 2 ** Math.floor(Math.log2(power)) / 2; bit >= 1; bit /= 2) {
    yield;
    result *= result;
    if (Math.floor(power / bit) % 2 === 1) {
      yield;
      result *= base;
    }
  }
  return result;
}
