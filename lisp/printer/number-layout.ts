import { Char } from "../data/character.ts";
import { typeError } from "../data/error.ts";
import type { LeafInstaller } from "../data/leaf.ts";
import { DoubleFloat, SingleFloat } from "../data/number.ts";
import { LString } from "../data/string.ts";
import { NIL, T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { DOUBLE, SINGLE } from "../numbers/float-bits.ts";
import { shortestDigits } from "../numbers/float-text.ts";
import { integerText } from "../numbers/integer-text.ts";
import { NativeStream } from "../streams/native-stream.ts";
import { guarded } from "../streams/stream-access.ts";

/** The usual cases of ~D and ~F, laid out without Lisp code; the others are done by 71-format-numbers. */

/** Bits of integers written here; longer ones are printed in slices by the printer. */
const maximumBits = 4096;

/** Digits with a separator between groups, counted from the right. */
export function groupDigits(digits: string, comma: string, interval: number): string {
  if (interval <= 0 || digits.length <= interval) return digits;
  const first = digits.length % interval || interval;
  const groups = [digits.slice(0, first)];
  for (let i = first; i < digits.length; i += interval) groups.push(digits.slice(i, i + interval));
  return groups.join(comma);
}

/** Text of |v| with that many digits after the point: the shortest digits when they suffice, else the exact value rounded half up. */
export function fixedDigits(v: number, single: boolean, fraction: number): string {
  const { digits, exponent } = shortestDigits(v, single ? SINGLE : DOUBLE);
  if (v !== 0 && exponent + fraction < digits.length) return v.toFixed(fraction);
  const whole = exponent <= 0 || v === 0 ? "0" : digits.slice(0, exponent).padEnd(exponent, "0");
  const rest = v === 0 ? "" : exponent <= 0 ? "0".repeat(-exponent) + digits : digits.slice(exponent);
  return `${whole}.${rest.padEnd(fraction, "0")}`;
}

function padded(text: string, width: number, pad: LispValue): string {
  return text.length >= width
    ? text
    : text.padStart(width, pad instanceof Char ? String.fromCodePoint(pad.code) : " ");
}

function fixedText(
  v: number,
  single: boolean,
  width: number,
  fraction: number,
  at: boolean,
): string | undefined {
  const magnitude = Math.abs(v);
  if (!(magnitude < 1e20) || fraction > 100) return undefined;
  const sign = v < 0 || Object.is(v, -0) ? "-" : at ? "+" : "";
  let text = fixedDigits(magnitude, single, fraction);
  if (!text.includes(".")) text += ".";
  // The zero before the point goes when there is no room for it.
  if (text.startsWith("0.") && width >= 0 && sign.length + text.length > width) text = text.slice(1);
  return sign + text;
}

/** Leaves `SYS:%WRITE-INTEGER` and `SYS:%WRITE-FIXED`: NIL when the case is not theirs. */
export const installNumberLayout: LeafInstaller = (define, host) => {
  define(
    "SYS:GROUP-DIGITS",
    "digits comma interval",
    (digits: LispValue, comma: LispValue, interval: LispValue) => {
      if (!(digits instanceof LString)) throw typeError(digits, "STRING");
      if (typeof interval !== "number" || interval < 1) throw typeError(interval, "(INTEGER 1)");
      host.charge(digits.length);
      return LString.from(
        groupDigits(digits.toJS(), comma instanceof Char ? String.fromCodePoint(comma.code) : ",", interval),
      );
    },
  );
  define(
    "SYS:%WRITE-INTEGER",
    "stream integer base mincol padchar comma interval colon at",
    (
      stream: LispValue,
      n: LispValue,
      base: LispValue,
      mincol: LispValue,
      pad: LispValue,
      comma: LispValue,
      interval: LispValue,
      colon: LispValue,
      at: LispValue,
    ) => {
      if (!(stream instanceof NativeStream) || (typeof n !== "number" && typeof n !== "bigint")) return NIL;
      if (typeof n === "bigint" && BigInt.asIntN(maximumBits, n) !== n) return NIL;
      const negative = n < 0;
      let text = integerText(negative ? -n : n, base as number);
      if (colon !== NIL)
        text = groupDigits(
          text,
          comma instanceof Char ? String.fromCodePoint(comma.code) : ",",
          interval as number,
        );
      const signed = negative ? `-${text}` : at === NIL ? text : `+${text}`;
      guarded(() => stream.writeText(padded(signed, mincol as number, pad)));
      return T;
    },
  );
  define(
    "SYS:%WRITE-FIXED",
    "stream number width fraction overflow padchar at",
    (
      stream: LispValue,
      x: LispValue,
      width: LispValue,
      fraction: LispValue,
      overflow: LispValue,
      pad: LispValue,
      at: LispValue,
    ) => {
      const single = x instanceof SingleFloat;
      if (
        !(stream instanceof NativeStream) ||
        !(single || x instanceof DoubleFloat) ||
        typeof fraction !== "number"
      )
        return NIL;
      const room = typeof width === "number" ? width : -1;
      const text = fixedText(x.v, single, room, fraction, at !== NIL);
      if (text === undefined || (room >= 0 && text.length > room && overflow !== NIL)) return NIL;
      guarded(() => stream.writeText(padded(text, room, pad)));
      return T;
    },
  );
};
