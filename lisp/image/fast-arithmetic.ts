import type { LFunction } from "../data/function.ts";
import { NIL, T } from "../data/symbol.ts";
import type { LispValue } from "../data/value.ts";
import type { Image } from "./image.ts";

/** Result of an operation on two fixnums, or undefined when the leaf must do it. */
type Fast = (a: number, b: number) => LispValue | undefined;

function safe(result: number): LispValue | undefined {
  return Number.isSafeInteger(result) ? result + 0 : undefined;
}

const fast: Readonly<Record<string, Fast>> = {
  "+": (a, b) => safe(a + b),
  "-": (a, b) => safe(a - b),
  "*": (a, b) => safe(a * b),
  "<": (a, b) => (a < b ? T : NIL),
  ">": (a, b) => (a > b ? T : NIL),
  "<=": (a, b) => (a <= b ? T : NIL),
  ">=": (a, b) => (a >= b ? T : NIL),
  "=": (a, b) => (a === b ? T : NIL),
};

/** Gives the function objects of the arithmetic operators a fast path, for `(sort l #'<)` and `(reduce #'+ l)`. */
export function installFastArithmetic(image: Image): void {
  for (const name of Object.keys(fast)) {
    const operation = fast[name]!;
    const fn = image.symbol(name).fn!;
    const general = fn.code as (self: LFunction, ...args: LispValue[]) => LispValue;
    fn.code = (self: LFunction, ...args: LispValue[]): LispValue => {
      if (args.length === 2) {
        const [a, b] = args;
        if (typeof a === "number" && typeof b === "number") {
          const result = operation(a, b);
          if (result !== undefined) return result;
        }
      }
      return general(self, ...args);
    };
  }
}
