import type { FloatKind, Kind } from "./kinds.ts";
import { isFloat } from "./kinds.ts";

/** How an operator on floats is written over JavaScript numbers. */
export interface FloatOperator {
  /** The result for the arguments, each named by an expression without effects. */
  readonly js: (...args: string[]) => string;
  /** Condition on the arguments under which `js` is right; absent when it always is. */
  readonly domain?: (...args: string[]) => string;
  /** What results the general operator must decide on: those that are not finite, and 0 where it is an underflow. */
  readonly traps: "none" | "infinite" | "zero";
}

function simple(name: string): FloatOperator {
  return { js: (x) => `Math.${name}(${x})`, traps: "infinite" };
}

const operators: Readonly<Record<string, FloatOperator>> = {
  "-/1": { js: (x) => `-${x}`, traps: "none" },
  "1+/1": { js: (x) => `${x}+1`, traps: "infinite" },
  "1-/1": { js: (x) => `${x}-1`, traps: "infinite" },
  "ABS/1": { js: (x) => `Math.abs(${x})`, traps: "none" },
  "MIN/2": { js: (x, y) => `${y}<${x}?${y}:${x}`, traps: "none" },
  "MAX/2": { js: (x, y) => `${y}>${x}?${y}:${x}`, traps: "none" },
  "SQRT/1": { js: (x) => `Math.sqrt(${x})`, domain: (x) => `${x}>=0`, traps: "infinite" },
  "LOG/1": { js: (x) => `Math.log(${x})`, domain: (x) => `${x}>0`, traps: "infinite" },
  "SIN/1": simple("sin"),
  "COS/1": simple("cos"),
  "TAN/1": simple("tan"),
  "ATAN/1": simple("atan"),
  "ATAN/2": { js: (y, x) => `Math.atan2(${y},${x})`, traps: "infinite" },
  "EXP/1": { js: (x) => `Math.exp(${x})`, traps: "zero" },
};

/** The way to write an operator for arguments of these kinds: a float first, or fixnums beside floats where that is right. */
export function floatOperator(name: string, args: readonly Kind[]): FloatOperator | undefined {
  const key = `${name}/${args.length}`;
  const operator = Object.hasOwn(operators, key) ? operators[key] : undefined;
  if (operator === undefined || !args.every(isFloat)) return undefined;
  return args.every(({ type }) => type === args[0]!.type) ? operator : undefined;
}

/** JavaScript conversion of an exact result to the format. */
export function rounded(text: string, type: FloatKind["type"]): string {
  return type === "single" ? `Fr(${text})` : `(${text})`;
}

/** A float as JavaScript text. */
export function floatText(value: number): string {
  const text = Object.is(value, -0) ? "-0" : String(value);
  return text.startsWith("-") ? `(${text})` : text;
}

/** Expressions for the integer nearest to a float by the operators of rounding; `x` is used several times. */
export const roundings: Readonly<Record<string, (x: string) => string>> = {
  FLOOR: (x) => `Math.floor(${x})+0`,
  CEILING: (x) => `Math.ceil(${x})+0`,
  TRUNCATE: (x) => `Math.trunc(${x})+0`,
  ROUND: (x) => {
    const [down, part] = [`Math.floor(${x})`, `${x}-Math.floor(${x})`];
    return `(${part}<0.5||${part}===0.5&&${down}%2===0?${down}:${down}+1)+0`;
  },
};
