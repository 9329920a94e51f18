/** Greatest common divisors and least common multiples. Those of long integers are found in steps (see `long-work.ts`). */
import { absInt, type Int, isLongDivision, mulInt, normalize, quotInt, remInt } from "./integers.ts";
import { bigMagnitudeBits, roughBits, stepsOf } from "./integer-size.ts";
import { divisionSteps } from "./long-integers.ts";
import { longOperation } from "../data/long-work.ts";

/** Greatest common divisor, never negative. */
export function gcdInt(a: Int, b: Int): Int {
  if (typeof a === "number" && typeof b === "number") return gcdSafe(Math.abs(a), Math.abs(b));
  if (isLongGcd(a, b)) return longOperation(() => gcdSteps(a, b));
  const steps = gcdSteps(a, b);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Steps (see `stepsOf`) of a greatest common divisor between two yields. */
const GCD_SHARE = 25_000;

/** Finds the greatest common divisor, yielding after each share of the work. */
function* gcdSteps(a: Int, b: Int): Generator<void, Int> {
  let x = absInt(a);
  let y = absInt(b);
  let done = 0;
  while (typeof x === "bigint" || typeof y === "bigint") {
    if (y === 0) return x;
    if (typeof x === "bigint" && typeof y === "bigint" && (x > LEHMER_MIN || y > LEHMER_MIN)) {
      if (isUneven(x, y)) {
        const [, rest]: readonly [bigint, bigint] = yield* x > y ? divisionSteps(x, y) : divisionSteps(y, x);
        [x, y] = [x > y ? y : x, normalize(rest)];
        continue;
      }
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

/** Long integers of which one is much longer: a division comes before the steps that take a few bits from both. */
function isUneven(x: bigint, y: bigint): boolean {
  return (isLongDivision(x, y) || isLongDivision(y, x)) && roughBits(x) !== roughBits(y);
}

/** Bits from which on two integers are worth finding their divisor in shares. */
const LONG_GCD = 1n << 65_536n;

/** True when finding the greatest common divisor of two integers takes long. */
function isLongGcd(a: Int, b: Int): boolean {
  const long = (x: Int): boolean => typeof x === "bigint" && (x > LONG_GCD || x < -LONG_GCD);
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
