/** Very long integers and ratios are printed in steps, so that printing can be interrupted. */
import type { LeafInstaller } from "../data/leaf.ts";
import { typeError } from "../data/error.ts";
import { Complex, Ratio } from "../data/number.ts";
import { LString } from "../data/string.ts";
import { bool } from "../data/symbol.ts";
import { inShares } from "../data/unfinished.ts";
import type { LispValue } from "../data/value.ts";
import { integerTextSteps, isLongInteger } from "../numbers/integer-text.ts";
import { isInteger } from "../numbers/integers.ts";
import { radixMarks } from "./atom-text.ts";
import { type PrintSettings, PrintVariables } from "./settings.ts";

/** An integer or ratio too long to be converted in one go. */
function isLongNumber(x: LispValue): boolean {
  if (typeof x === "bigint") return isLongInteger(x);
  if (x instanceof Complex) return isLongNumber(x.re) || isLongNumber(x.im);
  return x instanceof Ratio && (isLongInteger(x.num) || isLongInteger(x.den));
}

/** The text of a rational, or of a complex number of rationals, integer by integer. */
function* numberText(x: LispValue, settings: PrintSettings): Generator<void, string> {
  const { base } = settings;
  if (x instanceof Complex)
    return `#C(${yield* numberText(x.re, settings)} ${yield* numberText(x.im, settings)})`;
  const [before, after] = radixMarks(settings, x instanceof Ratio);
  if (isInteger(x)) return `${before}${yield* integerTextSteps(x, base)}${after}`;
  if (!(x instanceof Ratio)) throw typeError(x, "RATIONAL");
  return `${before}${yield* integerTextSteps(x.num, base)}/${yield* integerTextSteps(x.den, base)}${after}`;
}

function* numberString(x: LispValue, settings: PrintSettings): Generator<void, LString> {
  return LString.from(yield* numberText(x, settings));
}

export const installLongNumbers: LeafInstaller = (define, host) => {
  const variables = new PrintVariables(host);
  define("SYS:LONG-NUMBER-P", "object", (x: LispValue) => bool(isLongNumber(x)), { total: true });
  define("SYS:LONG-NUMBER-STRING", "number", (x: LispValue) => {
    return inShares(numberString(x, variables.read()));
  });
};
