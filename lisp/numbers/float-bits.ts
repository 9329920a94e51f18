/**
 * Binary structure of single and double floats as pure functions of JavaScript numbers: decoding, scaling, exact conversion
 * from and to rationals. A single float is a double that `Math.fround` leaves unchanged.
 */
import { ash } from "./bits.ts";
import { gcdInt } from "./common-divisors.ts";
import { type Int, integerLength, normalize } from "./integers.ts";

/** Precision and range of a float format. `minExponent` is the exponent of the smallest denormal's only bit. */
export interface FloatFormat {
  readonly name: "single" | "double";
  readonly digits: number;
  readonly minExponent: number;
  readonly max: number;
}

export const SINGLE: FloatFormat = {
  name: "single",
  digits: 24,
  minExponent: -149,
  max: 3.4028234663852886e38,
};
export const DOUBLE: FloatFormat = { name: "double", digits: 53, minExponent: -1074, max: Number.MAX_VALUE };

const view = new DataView(new ArrayBuffer(8));

/** A finite float as mantissa * 2^exponent * sign. */
export interface DecodedFloat {
  readonly mantissa: number;
  readonly exponent: number;
  readonly sign: 1 | -1;
}

/** INTEGER-DECODE-FLOAT: the mantissa has the format's full width unless the value is denormal. Zero has mantissa and exponent 0. */
export function decodeFloat(v: number, format: FloatFormat): DecodedFloat {
  const sign = v < 0 || Object.is(v, -0) ? -1 : 1;
  if (v === 0) return { mantissa: 0, exponent: 0, sign };
  if (format === SINGLE) {
    view.setFloat32(0, v);
    const bits = view.getUint32(0);
    const biased = (bits >>> 23) & 0xff;
    const fraction = bits & 0x7fffff;
    return biased === 0
      ? { mantissa: fraction, exponent: -149, sign }
      : { mantissa: fraction + 0x800000, exponent: biased - 150, sign };
  }
  view.setFloat64(0, v);
  const high = view.getUint32(0);
  const biased = (high >>> 20) & 0x7ff;
  const fraction = (high & 0xfffff) * 4294967296 + view.getUint32(4);
  return biased === 0
    ? { mantissa: fraction, exponent: -1074, sign }
    : { mantissa: fraction + 2 ** 52, exponent: biased - 1075, sign };
}

/** m * 2^e with at most one rounding, whatever the size of e. */
export function scaleByPowerOfTwo(m: number, e: number): number {
  if (e >= -1022 && e <= 1023) return m * 2 ** e;
  const clamped = Math.max(-2200, Math.min(2200, e));
  const third = Math.trunc(clamped / 3);
  return m * 2 ** third * 2 ** third * 2 ** (clamped - 2 * third);
}

/** Rounds the positive rational n/d to the nearest float of a format, ties to even; Infinity on overflow. */
export function roundRational(n: bigint, d: bigint, format: FloatFormat): number {
  const shift = format.digits + 2 - (integerLength(normalize(n)) - integerLength(normalize(d)));
  const top = shift > 0 ? n << BigInt(shift) : n;
  const bottom = shift < 0 ? d << BigInt(-shift) : d;
  const q = top / bottom;
  const sticky = q * bottom !== top;
  const bits = integerLength(normalize(q));
  const drop = Math.max(bits - format.digits, format.minExponent + shift);
  if (drop > bits) return 0;
  const dropBig = BigInt(drop);
  let m = q >> dropBig;
  const twice = (q - (m << dropBig)) * 2n;
  const unit = 1n << dropBig;
  if (twice > unit || (twice === unit && (sticky || (m & 1n) === 1n))) m += 1n;
  const r = scaleByPowerOfTwo(Number(m), drop - shift);
  return r > format.max ? Infinity : r;
}

/** Nearest float of a format to an integer; an infinity on overflow. */
export function integerToFloat(a: Int, format: FloatFormat): number {
  if (format === DOUBLE) return Number(a);
  if (typeof a === "number") return Math.fround(a);
  const m = a < 0n ? -a : a;
  const r = m >= 1n << 130n ? Infinity : roundRational(m, 1n, SINGLE);
  return a < 0n ? -r : r;
}

/** Nearest float of a format to num/den (den positive); an infinity on overflow. */
export function ratioToFloat(num: Int, den: Int, format: FloatFormat): number {
  const n = BigInt(num);
  const r = roundRational(n < 0n ? -n : n, BigInt(den), format);
  return n < 0n ? -r : r;
}

/** A rational as numerator and positive denominator in lowest terms. */
export type RationalParts = readonly [num: Int, den: Int];

/** RATIONAL: the exact value of a finite float. */
export function exactRational(v: number, format: FloatFormat): RationalParts {
  const { mantissa, exponent, sign } = decodeFloat(v, format);
  const m = sign * mantissa + 0;
  if (exponent >= 0 || m === 0) return [ash(m, exponent), 1];
  const den = ash(1, -exponent);
  const g = gcdInt(m, den);
  const shift = -(integerLength(g) - 1);
  return [ash(m, shift), ash(den, shift)];
}

/** RATIONALIZE: the simplest rational that rounds to the finite float. */
export function simplestRational(v: number, format: FloatFormat): RationalParts {
  const { mantissa, exponent, sign } = decodeFloat(v, format);
  if (mantissa === 0 || exponent >= 0) return exactRational(v, format);
  const den = 1n << BigInt(1 - exponent);
  const [p, q] = simplestBetween(2n * BigInt(mantissa) - 1n, den, 2n * BigInt(mantissa) + 1n, den);
  return [normalize(sign < 0 ? -p : p), normalize(q)];
}

/** Simplest fraction in the closed interval [a/b, c/d] of positive rationals, by continued fractions. */
function simplestBetween(a: bigint, b: bigint, c: bigint, d: bigint): [bigint, bigint] {
  let [an, ad, bn, bd] = [a, b, c, d];
  let [p0, q0, p1, q1] = [0n, 1n, 1n, 0n];
  for (;;) {
    const whole = (an + ad - 1n) / ad;
    if (whole * bd <= bn) return [whole * p1 + p0, whole * q1 + q0];
    const k = whole - 1n;
    [p0, q0, p1, q1] = [p1, q1, k * p1 + p0, k * q1 + q0];
    [an, ad, bn, bd] = [bd, bn - k * bd, ad, an - k * ad];
  }
}

/** The adjacent float away from (up) or toward (down) zero for a positive value of the format. */
export function nextPositive(v: number, up: boolean, format: FloatFormat): number {
  if (format === SINGLE) {
    view.setFloat32(0, v);
    view.setUint32(0, view.getUint32(0) + (up ? 1 : -1));
    return view.getFloat32(0);
  }
  view.setFloat64(0, v);
  view.setBigUint64(0, view.getBigUint64(0) + (up ? 1n : -1n));
  return view.getFloat64(0);
}
