/** Sizes of long integers in bits, and what they cost. JavaScript tells the length of a `bigint` only through its text. */

/** Integers may have at most this many bits (16 Mbit, five million decimal digits). A larger result signals a storage condition. */
export const MAX_INTEGER_BITS = 16_777_216;

/** powersOfTwo[k] = 2^(2^k): comparing bigints of different lengths is O(1), so these bracket a size cheaply. */
const powersOfTwo: bigint[] = [];

function twoToTwoTo(k: number): bigint {
  for (let i = powersOfTwo.length; i <= k; i++) powersOfTwo.push(1n << (1n << BigInt(i)));
  return powersOfTwo[k] as bigint;
}

/** Number of bits of the magnitude of a non-negative bigint, exact. */
export function bigMagnitudeBits(m: bigint): number {
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
export function roughBits(b: bigint): number {
  const m = b < 0n ? -b : b;
  let k = 6;
  while (k < 27 && m >= twoToTwoTo(k)) k++;
  return 2 ** k;
}

const LONG_HIGH = 1n << 16384n;
const LONG_LOW = -LONG_HIGH;

/** True from 16 kbit on: such integers are worth measuring. */
export function isMeasured(b: bigint): boolean {
  return b >= LONG_HIGH || b <= LONG_LOW;
}

/**
 * What making or reading an integer counts for in steps of evaluation: nothing for the usual ones, and for long ones in
 * proportion to their length, so that a loop over long integers is interrupted in time.
 */
export function stepsOf(a: unknown): number {
  return typeof a === "bigint" && isMeasured(a) ? Math.ceil(roughBits(a) / 4096) : 0;
}
