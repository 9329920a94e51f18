/** Decimal text of floats: shortest digits that read back exactly, and exact reading of decimal text. */
import { DOUBLE, type FloatFormat, nextPositive, roundRational, SINGLE } from "./float-bits.ts";

/** The value 0.DIGITS * 10^exponent; digits have no leading or trailing zero, except that zero is "0" with exponent 1. */
export interface FloatDigits {
  readonly digits: string;
  readonly exponent: number;
}

function digitsOfScientific(text: string): FloatDigits {
  const e = text.indexOf("e");
  const digits = text.slice(0, e).replace(".", "").replace(/0+$/, "");
  return { digits, exponent: Number(text.slice(e + 1)) + 1 };
}

/** Shortest decimal digits that round to the finite, non-negative float in its format. */
export function shortestDigits(v: number, format: FloatFormat): FloatDigits {
  if (v === 0) return { digits: "0", exponent: 1 };
  if (format === DOUBLE) return digitsOfScientific(v.toExponential());
  return v >= 1e-12 && v <= 1e20 ? quickSingleDigits(v) : anySingleDigits(v);
}

/** Powers of ten that are exact doubles. */
const POWERS: readonly number[] = Array.from({ length: 23 }, (_, k) => Number(`1e${k}`));

/** m * 10^-k, correctly rounded: both factors are exact. */
function decimalValue(m: number, k: number): number {
  return k >= 0 ? m / (POWERS[k] as number) : m * (POWERS[-k] as number);
}

/** At a power of two the rounding interval is wider above than below: the decimal above the nearest may read back. */
function isPowerOfTwo(v: number): boolean {
  return Number.isInteger(Math.log2(v));
}

/** The double is exactly between two singles, so that rounding it again would not be rounding the decimal. */
function isBetweenSingles(d: number): boolean {
  const f = Math.fround(d);
  return f !== d && Math.fround(d + (d - f)) - d === d - f;
}

/** Digits of a single whose decimals of up to nine digits have powers of ten that are exact doubles. */
function quickSingleDigits(v: number): FloatDigits {
  let exponent = Math.floor(Math.log10(v)) + 1;
  if (v >= decimalValue(1, -exponent)) exponent++;
  else if (v < decimalValue(1, 1 - exponent)) exponent--;
  const power = isPowerOfTwo(v);
  for (let precision = 1; precision <= 9; precision++) {
    const k = precision - exponent;
    const nearest = Math.round(k >= 0 ? v * (POWERS[k] as number) : v / (POWERS[-k] as number));
    for (let m = nearest; m <= nearest + (power ? 1 : 0); m++) {
      const d = decimalValue(m, k);
      if (isBetweenSingles(d)) return anySingleDigits(v);
      if (Math.fround(d) === v) return digitsOfInteger(m, precision, exponent);
    }
  }
  return anySingleDigits(v);
}

/** Digits of an integer written with `precision` digits, or one more when it was rounded up to a power of ten. */
function digitsOfInteger(m: number, precision: number, exponent: number): FloatDigits {
  const text = String(m);
  let end = text.length;
  while (end > 1 && text.charCodeAt(end - 1) === 48) end--;
  return { digits: text.slice(0, end), exponent: exponent + (text.length > precision ? 1 : 0) };
}

/** Digits of any single, by trying texts. */
function anySingleDigits(v: number): FloatDigits {
  for (let precision = 1; precision < 9; precision++) {
    const text = v.toExponential(precision - 1);
    if (decimalToFloat(text, SINGLE) === v) return digitsOfScientific(text);
    const other = shortNeighbour(v, precision, text);
    if (other !== undefined) return digitsOfScientific(other);
  }
  return digitsOfScientific(v.toExponential(8));
}

function shortNeighbour(v: number, precision: number, nearest: string): string | undefined {
  if (!isPowerOfTwo(v) || Number(nearest) > v) return undefined;
  const e = nearest.indexOf("e");
  const mantissa = Number(nearest.slice(0, e).replace(".", "")) + 1;
  const text = (mantissa * 10 ** -(precision - 1)).toFixed(precision - 1) + nearest.slice(e);
  return decimalToFloat(text, SINGLE) === v ? text : undefined;
}

/** Text of a finite float as PRIN1 writes it, without the exponent marker rules: see `formatFloat`. */
function layoutFloat({ digits, exponent }: FloatDigits, v: number, marker: string): string {
  const small = v < 1e-3;
  if (v !== 0 && (small || v >= 1e7)) {
    const fraction = digits.length > 1 ? digits.slice(1) : "0";
    return `${digits[0] ?? "0"}.${fraction}${marker === "" ? "e" : marker}${exponent - 1}`;
  }
  const suffix = marker === "" ? "" : `${marker}0`;
  if (exponent <= 0) return `0.${"0".repeat(-exponent)}${digits}${suffix}`;
  const whole = digits.length >= exponent ? digits.slice(0, exponent) : digits.padEnd(exponent, "0");
  return `${whole}.${digits.slice(exponent) || "0"}${suffix}`;
}

/**
 * The printed representation of a finite float. Values from 1e-3 below 1e7 are written without exponent, except that a format
 * which is not `defaultFormat` (the value of *READ-DEFAULT-FLOAT-FORMAT*) is always marked with `f` or `d`.
 */
export function formatFloat(v: number, format: FloatFormat, defaultFormat: FloatFormat): string {
  const marker = format === defaultFormat ? "" : format === SINGLE ? "f" : "d";
  const magnitude = Math.abs(v);
  const text = layoutFloat(shortestDigits(magnitude, format), magnitude, marker);
  return v < 0 || Object.is(v, -0) ? `-${text}` : text;
}

/** Decimal exponents outside this range mean 0 or infinity for every format, given mantissas below the bound. */
const MAX_DECIMAL_EXPONENT = 400;

/**
 * Nearest float to an unsigned decimal such as `12.5e-3`, correctly rounded; Infinity on overflow, 0 on underflow.
 * The text must match digits, optional point and digits, optional `e` and signed digits.
 */
export function decimalToFloat(text: string, format: FloatFormat): number {
  const d = Number(text);
  if (format === DOUBLE || d === 0 || d === Infinity) return d;
  const f = Math.fround(d);
  if (f === d) return f;
  if (f === Infinity) return d === 3.4028235677973366e38 ? exactDecimal(text) : Infinity;
  const neighbour = f === 0 ? 2 ** -149 : nextPositive(f, d > f, SINGLE);
  // Rounding twice differs from rounding once only when the double sits exactly between two singles.
  if ((f + neighbour) / 2 !== d) return f;
  return exactDecimal(text);
}

/** Digits that decide how a decimal is rounded: no halfway point between two floats has more. */
const DECISIVE_DIGITS = 1_100;

function exactDecimal(text: string): number {
  const [, whole = "", fraction = "", exponent = "0"] = /^(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const all = (whole + fraction).replace(/^0+/, "");
  // Of further digits only whether there are any but zeros matters.
  const digits = all.slice(0, DECISIVE_DIGITS) + (/[1-9]/.test(all.slice(DECISIVE_DIGITS)) ? "1" : "0");
  const e = Number(exponent) - fraction.length + (all.length - digits.length);
  const n = BigInt(digits);
  if (Math.abs(e) > MAX_DECIMAL_EXPONENT + whole.length + fraction.length) return e < 0 ? 0 : Infinity;
  return e >= 0
    ? roundRational(n * 10n ** BigInt(e), 1n, SINGLE)
    : roundRational(n, 10n ** BigInt(-e), SINGLE);
}
