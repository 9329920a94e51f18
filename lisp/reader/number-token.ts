/** Numbers in token syntax: integers and ratios in a base, floats in decimal. */
import { DoubleFloat, SingleFloat } from "../data/number.ts";
import type { LispValue } from "../data/value.ts";
import { makeRational } from "../numbers/rationals.ts";
import { DOUBLE, type FloatFormat, SINGLE } from "../numbers/float-bits.ts";
import { decimalToFloat } from "../numbers/float-text.ts";
import { parseDigits } from "../numbers/integer-text.ts";
import { negInt } from "../numbers/integers.ts";

/** A token that has the syntax of a number but no value of the wanted type; `reason` completes "… cannot be read: ". */
export class BadNumber {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

/** What a token is as a number: `undefined` when it has not the syntax of one. */
export type ReadNumber = LispValue | BadNumber | undefined;

const FLOAT_SYNTAX = /^([+-]?)(\d*)(?:\.(\d*))?(?:([esfdl])([+-]?\d+))?$/i;

function isDigitIn(code: number, base: number): boolean {
  if (code >= 48 && code <= 57) return code - 48 < base;
  if (base <= 10) return false;
  const upper = code & ~32;
  return upper >= 65 && upper <= 90 && upper - 55 < base;
}

function allDigits(text: string, from: number, to: number, base: number): boolean {
  if (from >= to) return false;
  for (let i = from; i < to; i++) if (!isDigitIn(text.charCodeAt(i), base)) return false;
  return true;
}

function signed(text: string, negative: boolean, base: number): number | bigint {
  const magnitude = parseDigits(text, base);
  return negative ? negInt(magnitude) : magnitude;
}

/** True when a token may be a number at all by its first character; everything else is a symbol. */
export function mayStartNumber(code: number, base: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    code === 43 ||
    code === 45 ||
    code === 46 ||
    (base > 10 && isDigitIn(code, base))
  );
}

/**
 * The number a token without escapes denotes, `undefined` when it has not the syntax of one, or `BadNumber` (zero denominator,
 * float out of range).
 */
export function parseNumberToken(token: string, base: number, defaultFormat: FloatFormat): ReadNumber {
  const first = token.charCodeAt(0);
  const from = first === 43 || first === 45 ? 1 : 0;
  const negative = first === 45;
  const end = token.length;
  if (allDigits(token, from, end, base)) return signed(token.slice(from), negative, base);
  if (token.charCodeAt(end - 1) === 46 && allDigits(token, from, end - 1, 10)) {
    return signed(token.slice(from, -1), negative, 10);
  }
  const slash = token.indexOf("/");
  if (slash > 0) {
    if (!allDigits(token, from, slash, base) || !allDigits(token, slash + 1, end, base)) return undefined;
    const den = parseDigits(token.slice(slash + 1), base);
    if (den === 0) return new BadNumber("its denominator is zero");
    return makeRational(signed(token.slice(from, slash), negative, base), den);
  }
  return parseFloatToken(token, defaultFormat);
}

function formatOfMarker(marker: string, defaultFormat: FloatFormat): FloatFormat {
  const m = marker.toLowerCase();
  if (m === "" || m === "e") return defaultFormat;
  return m === "d" || m === "l" ? DOUBLE : SINGLE;
}

function parseFloatToken(token: string, defaultFormat: FloatFormat): ReadNumber {
  const match = FLOAT_SYNTAX.exec(token);
  if (match === null) return undefined;
  const [, sign = "", whole = "", fraction, marker = "", exponent = "0"] = match;
  const fractionDigits = fraction ?? "";
  if (whole === "" && fractionDigits === "") return undefined;
  if (marker === "" && fractionDigits === "") return undefined;
  const format = formatOfMarker(marker, defaultFormat);
  const v = decimalToFloat(`${whole || "0"}.${fractionDigits || "0"}e${exponent}`, format);
  if (v === Infinity) return new BadNumber(`it is too large for a ${format.name}-float`);
  if (v === 0 && /[1-9]/.test(whole + fractionDigits))
    return new BadNumber(`it is too small for a ${format.name}-float`);
  const value = sign === "-" ? -v : v;
  return format === DOUBLE ? new DoubleFloat(value) : new SingleFloat(value);
}
