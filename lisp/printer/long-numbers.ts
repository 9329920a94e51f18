/** Very long integers and ratios are printed in steps, so that printing can be interrupted. */
import { typeError } from "../data/error.ts";
import type { LeafInstaller } from "../data/leaf.ts";
import { Ratio } from "../data/number.ts";
import { LString } from "../data/string.ts";
import { bool } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import { IntegerPrinter, isLongInteger } from "../numbers/integer-text.ts";
import { isInteger } from "../numbers/integers.ts";
import { radixMarks } from "./atom-text.ts";
import { PrintVariables } from "./settings.ts";

/** Steps of evaluation that one step of printing counts for: a whole slice. */
const STEP_CHARGE = 10_000;

/** An integer or ratio too long to be converted in one go. */
function isLongNumber(x: LispValue): boolean {
  if (typeof x === "bigint") return isLongInteger(x);
  return x instanceof Ratio && (isLongInteger(x.num) || isLongInteger(x.den));
}

/** Prints a number part by part: numerator, then denominator. */
class NumberPrinter {
  private readonly parts: readonly IntegerPrinter[];
  private readonly marks: readonly [before: string, after: string];

  constructor(x: LispValue, base: number, marks: readonly [before: string, after: string]) {
    const integers = x instanceof Ratio ? [x.num, x.den] : isInteger(x) ? [x] : [];
    this.parts = integers.map((integer) => new IntegerPrinter(integer, base));
    this.marks = marks;
  }

  /** Does one slice of work; true when `text` is ready. */
  step(): boolean {
    return this.parts.every((part) => part.step());
  }

  get text(): string {
    const [before, after] = this.marks;
    return before + this.parts.map((part) => part.text).join("/") + after;
  }
}

function requirePrinter(x: LispValue): NumberPrinter {
  if (x instanceof NumberPrinter) return x;
  throw typeError(x, "(SATISFIES SYS::LONG-NUMBER-PRINTER-P)");
}

export const installLongNumbers: LeafInstaller = (define, host) => {
  const variables = new PrintVariables(host);
  define("SYS:LONG-NUMBER-P", "object", (x: LispValue) => bool(isLongNumber(x)), { total: true });
  define("SYS:LONG-NUMBER-PRINTER-P", "object", (x: LispValue) => bool(x instanceof NumberPrinter), {
    total: true,
  });
  define("SYS:MAKE-LONG-NUMBER-PRINTER", "number", (x: LispValue) => {
    const settings = variables.read();
    return new NumberPrinter(x, settings.base, radixMarks(settings, x instanceof Ratio));
  });
  define("SYS:LONG-NUMBER-STEP", "printer", (x: LispValue) => {
    // A step takes longer than a time slice should.
    host.charge(STEP_CHARGE);
    return bool(requirePrinter(x).step());
  });
  define("SYS:LONG-NUMBER-TEXT", "printer", (x: LispValue) => LString.from(requirePrinter(x).text));
};
